// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace alxsim::transformer {

// Adafactor's update of parameters that are cut over devices: sums of squared gradients by rows and
// columns, the sums of the rows' moments and of the updates' squares are each summed up over the
// devices that have other numbers of the same; those of a layer in one collective for each set of
// axes.

namespace {

/// Where a number is, for an effect.
struct NumberAt {
    Array array;
    std::int64_t first = 0;
    template <class On>
    auto* operator()(const On& on) const
    {
        return on(array) + first;
    }
};

/// Numbers of several parameters that are summed up over the same axes.
class SmallSums {
public:
    SmallSums(StepBuilder& builder, std::string name) : builder_(builder), name_(std::move(name)) {}

    struct Place {
        std::vector<std::string> axes;
        std::int64_t first = 0;
    };
    Place take(const std::vector<std::string>& axes, std::int64_t count)
    {
        std::int64_t& used = used_[axes];
        used += count;
        return {axes, used - count};
    }
    void declare(const std::string& of, model::DType type)
    {
        for (const auto& [axes, count] : used_) {
            std::string words;
            for (const std::string& one : axes) {
                words += "." + one;
            }
            arrays_[axes] =
                builder_.array("workspace." + name_ + words + "." + of, {1, count}, type);
        }
    }
    NumberAt number(const Place& place) const { return {arrays_.at(place.axes), place.first}; }
    std::vector<Touch> touched() const
    {
        std::vector<Touch> all;
        for (const auto& [axes, array] : arrays_) {
            all.emplace_back(array);
        }
        return all;
    }
    void sum()
    {
        for (const auto& [axes, array] : arrays_) {
            if (!axes.empty()) {
                builder_.collective(name_, model::CollectiveKind::all_reduce, axes, array, array);
            }
        }
    }

private:
    StepBuilder& builder_;
    std::string name_;
    std::map<std::vector<std::string>, std::int64_t> used_;
    std::map<std::vector<std::string>, Array> arrays_;
};

/// A parameter in an update.
struct Item {
    Parameter parameter;
    std::int64_t rows = 0, columns = 0; ///< of a device's matrix
    std::int64_t whole = 0;             ///< numbers of the parameter on all devices
    std::int64_t held = 0;              ///< numbers that a device changes
    std::vector<AdafactorPart> parts;   ///< [device]: these; of a timed step none
    SmallSums::Place at_rows, at_columns, at_total, at_square;
    NumberAt row_sums, column_sums, total, square_sum;
    bool is_matrix() const { return parameter.row_moment.exists(); }
    std::int64_t moments() const { return is_matrix() ? rows + columns : 0; }
};
using Items = std::vector<Item>;

/// The ops of an update of parameters together.
class AdafactorStep {
public:
    /// `waits`: what its first op reads beside gradients.
    AdafactorStep(StepBuilder& builder, const AdafactorOptions& options, std::string name,
                  std::vector<Touch> waits)
        : builder_(builder),
          options_(options),
          name_(std::move(name)),
          waits_(std::move(waits)),
          sums_(builder, "adafactor.sums"),
          totals_(builder, "adafactor.totals"),
          squares_(builder, "adafactor.squares")
    {
    }

    /// With the axes over which its sums of rows, of columns, of the rows' moments and of the
    /// update's squares are to be summed up.
    struct Axes {
        std::vector<std::string> of_rows, of_columns, of_total, of_square;
    };
    void add(Item item, const Axes& axes)
    {
        if (item.is_matrix()) {
            item.at_rows = sums_.take(axes.of_rows, item.rows);
            item.at_columns = sums_.take(axes.of_columns, item.columns);
            item.at_total = totals_.take(axes.of_total, 1);
        }
        item.at_square = squares_.take(axes.of_square, 1);
        items_.push_back(std::move(item));
    }

    void append(const std::shared_ptr<int>& step, model::DType type)
    {
        for (SmallSums* const one : {&sums_, &totals_, &squares_}) {
            one->declare(name_, type);
        }
        for (Item& item : items_) {
            if (item.is_matrix()) {
                item.row_sums = sums_.number(item.at_rows);
                item.column_sums = sums_.number(item.at_columns);
                item.total = totals_.number(item.at_total);
            }
            item.square_sum = squares_.number(item.at_square);
        }
        shared_ = std::make_shared<const Items>(items_);
        sum_squared_gradients();
        sums_.sum();
        update_moments(step);
        totals_.sum();
        measure_updates(step);
        squares_.sum();
        apply();
    }

private:
    /// Passes over numbers of the items: `elements` of each.
    template <class Elements>
    model::Vector work_of(const Elements& elements, double operations, double divisions) const
    {
        model::Vector work;
        for (const Item& item : items_) {
            work.elements += elements(item);
        }
        work.ops_per_element = operations;
        work.division_per_element = divisions;
        return work;
    }
    std::vector<Touch> gradients(bool of_matrices_alone) const
    {
        std::vector<Touch> all;
        for (const Item& item : items_) {
            if (item.is_matrix() || !of_matrices_alone) {
                all.emplace_back(item.parameter.gradient);
            }
        }
        return all;
    }
    /// Moments of matrices, or squares of the others.
    std::vector<Touch> states(bool of_matrices) const
    {
        std::vector<Touch> all;
        for (const Item& item : items_) {
            if (item.is_matrix() == of_matrices) {
                const std::vector<Array> state = item.parameter.state();
                all.insert(all.end(), state.begin(), state.end());
            }
        }
        return all;
    }
    static std::vector<Touch> joined(std::vector<Touch> a, const std::vector<Touch>& b)
    {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }

    void sum_squared_gradients()
    {
        const auto elements = [](const Item& item) { return item.is_matrix() ? item.held : 0; };
        builder_.compute(name_ + " sums", "optimizer", work_of(elements, 4, 0),
                         joined(gradients(true), waits_), sums_.touched(),
                         [items = shared_, options = options_](const auto& on) {
                             for (const Item& item : *items) {
                                 if (item.is_matrix()) {
                                     adafactor_sums(options, item.parts[part_of(on)],
                                                    on(item.parameter.gradient), item.row_sums(on),
                                                    item.column_sums(on));
                                 }
                             }
                         });
    }

    void update_moments(const std::shared_ptr<int>& step)
    {
        const auto elements = [](const Item& item) { return item.moments(); };
        builder_.compute(
            name_ + " moments", "optimizer", work_of(elements, 4, 0),
            joined(sums_.touched(), states(true)), joined(totals_.touched(), states(true)),
            [items = shared_, options = options_, step](const auto& on) {
                for (const Item& item : *items) {
                    if (item.is_matrix()) {
                        *item.total(on) =
                            adafactor_moment(options, *step, item.row_sums(on), item.rows,
                                             on(item.parameter.row_moment));
                        adafactor_moment(options, *step, item.column_sums(on), item.columns,
                                         on(item.parameter.column_moment));
                    }
                }
            });
    }

    /// The update of what a device has of a parameter, and the sum of its squares.
    template <class On>
    static auto update_of(const Item& item, const On& on, std::vector<spmd::NumberOf<On>>& update)
    {
        const Parameter& parameter = item.parameter;
        const AdafactorPart& part = item.parts[part_of(on)];
        update.resize(static_cast<std::size_t>(part.count));
        return item.is_matrix()
                   ? adafactor_matrix_update(part, on(parameter.gradient), on(parameter.row_moment),
                                             on(parameter.column_moment), *item.total(on),
                                             update.data())
                   : adafactor_vector_update(on(parameter.gradient), part.count,
                                             on(parameter.square), update.data());
    }

    void measure_updates(const std::shared_ptr<int>& step)
    {
        const auto elements = [](const Item& item) { return item.held; };
        const std::vector<Touch> reads = joined(joined(gradients(false), states(true)),
                                                joined(states(false), totals_.touched()));
        builder_.compute(name_ + " scale", "optimizer", work_of(elements, 6, 2), reads,
                         joined(squares_.touched(), states(false)),
                         [items = shared_, options = options_, step](const auto& on) {
                             std::vector<spmd::NumberOf<decltype(on)>> update;
                             for (const Item& item : *items) {
                                 if (!item.is_matrix()) {
                                     adafactor_square(options, *step, on(item.parameter.gradient),
                                                      item.parts[part_of(on)].count,
                                                      on(item.parameter.square));
                                 }
                                 *item.square_sum(on) = update_of(item, on, update);
                             }
                         });
    }

    /// The update is computed once more in place of being kept.
    void apply()
    {
        std::vector<Touch> reads = joined(joined(gradients(false), states(true)),
                                          joined(states(false), totals_.touched()));
        reads = joined(std::move(reads), squares_.touched());
        std::vector<Touch> writes;
        for (const Item& item : items_) {
            reads.emplace_back(item.parameter.master);
            writes.emplace_back(item.parameter.master);
            if (item.parameter.has_copy()) {
                writes.emplace_back(item.parameter.weight.value);
            }
        }
        const auto elements = [](const Item& item) { return item.held; };
        builder_.compute(name_, "optimizer", work_of(elements, 6, 2), reads, writes,
                         [items = shared_, options = options_](const auto& on) {
                             std::vector<spmd::NumberOf<decltype(on)>> update;
                             for (const Item& item : *items) {
                                 const Parameter& one = item.parameter;
                                 const std::int64_t count = item.parts[part_of(on)].count;
                                 update_of(item, on, update);
                                 adafactor_apply(options, update.data(), count,
                                                 *item.square_sum(on), item.whole, on(one.master));
                                 if (one.has_copy()) {
                                     std::copy_n(on(one.master), count, on(one.weight.value));
                                 }
                             }
                         });
    }

    template <class On>
    static std::size_t part_of(const On& on)
    {
        return static_cast<std::size_t>(on.device());
    }

    StepBuilder& builder_;
    AdafactorOptions options_;
    std::string name_;
    std::vector<Touch> waits_;
    SmallSums sums_, totals_, squares_;
    Items items_;
    std::shared_ptr<const Items> shared_;
};

} // namespace

void ParameterArrays::adafactor(const std::string& name, const std::vector<ParameterOf>& parameters,
                                const std::shared_ptr<int>& step)
{
    AdafactorStep ops(builder_, config_.optimizer.adafactor, name, waits_for_sums());
    for (const ParameterOf& of : parameters) {
        const ParameterSpec& spec = *of.spec;
        const Pieces pieces = pieces_of(spec);
        Item item;
        item.parameter = parameter(of);
        item.rows = cut_.rows_of(spec);
        item.columns = cut_.columns_of(spec);
        item.whole = spec.elements();
        item.held = builder_.shape(item.parameter.master).elements();
        for (int device = 0; builder_.has_numbers() && device < layout_.devices(); ++device) {
            const std::int64_t first = pieces.in_parts() ? first_element(pieces, device) : 0;
            const std::int64_t left = std::max<std::int64_t>(pieces.elements - first, 0);
            item.parts.push_back({item.rows, item.columns, first, std::min(item.held, left)});
        }
        const auto axes = [&](bool along_tensor) {
            std::vector<std::string> all = pieces.weight_axes;
            all.insert(all.end(), pieces.state_axes.begin(), pieces.state_axes.end());
            if (along_tensor) {
                all.push_back(axis::tensor);
            }
            return layout_.among(all);
        };
        const bool cuts_rows = item.rows < spec.rows;
        const bool cuts_columns = item.columns < spec.columns;
        const auto of_total =
            cuts_rows ? layout_.among({axis::tensor}) : std::vector<std::string>();
        ops.add(std::move(item),
                {axes(cuts_columns), axes(cuts_rows), of_total, axes(cuts_rows || cuts_columns)});
    }
    ops.append(step, state_type());
}

} // namespace alxsim::transformer
