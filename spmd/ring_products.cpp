// SPDX-License-Identifier: Apache-2.0
#include "spmd/ring_products.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace alxsim::spmd {
namespace {

/// An array of some rows, and the place of a device whose rows they are.
struct RowsOfPlace {
    Array array;
    std::function<std::int64_t(int device)> place;
};

} // namespace

RingProducts::RingProducts(StepBuilder& builder, std::string axis)
    : builder_(builder),
      axis_(std::move(axis)),
      parts_(builder.mesh().length(axis_)),
      both_ways_(parts_ % 4 == 0)
{
    if (parts_ < 2) {
        throw std::logic_error("a ring of one device along " + axis_);
    }
}

/// One of two that take turns: one is used while the other one is filled.
Array RingProducts::buffer(const std::string& name, int number, Array like)
{
    return builder_.array("workspace.ring." + name + std::to_string(number % 2),
                          builder_.shape(like), builder_.dtype(like));
}

std::function<std::int64_t(int)> RingProducts::place_of(std::int64_t places) const
{
    return [places, parts = parts_, axis = axis_, mesh = builder_.mesh()](int device) {
        const std::int64_t place = mesh.position(device, axis) + places;
        return (place % parts + parts) % parts;
    };
}

void RingProducts::gather(const std::string& name, Array part, const Step& step)
{
    const auto onward = [&](int number) { return buffer("onward", number, part); };
    const auto back = [&](int number) { return number == 0 ? part : buffer("back", number, part); };
    if (both_ways_) {
        builder_.permute(name, axis_, part, onward(0));
    }
    for (int number = 0; number < steps(); ++number) {
        const bool is_last = number + 1 == steps();
        if (!both_ways_) {
            const Array here = number == 0 ? part : onward(number);
            if (!is_last) {
                builder_.permute(name, axis_, here, onward(number + 1));
            }
            step({{here, -number}}, number);
            continue;
        }
        if (!is_last) {
            builder_.permute_both_ways(name, axis_, {onward(number), onward(number + 1)},
                                       {back(number), back(number + 1)});
        }
        step({{back(number), number}, {onward(number), -1 - number}}, number);
    }
}

void RingProducts::multiply_gathered(const Name& name, Array part, StepBuilder::Operand right,
                                     Array result, Array bias)
{
    const Shape rows = builder_.shape(part);
    const Shape of_right = builder_.shape(right.array);
    const ProductShape product{rows.rows, rows.columns, builder_.shape(result).columns};
    if (product.k != (right.transposed ? of_right.columns : of_right.rows) ||
        product.n != (right.transposed ? of_right.rows : of_right.columns) ||
        builder_.shape(result).rows != parts_ * rows.rows) {
        throw std::logic_error("matrices of " + name.name + " do not fit together");
    }
    gather(name.name, part, [&](const std::vector<Visitor>& visitors, int /*number*/) {
        std::vector<Touch> reads{right.array};
        for (const Visitor& visitor : visitors) {
            reads.emplace_back(visitor.array);
        }
        if (bias.exists()) {
            reads.emplace_back(bias);
        }
        const auto many = static_cast<std::int64_t>(visitors.size());
        std::vector<RowsOfPlace> parts;
        for (const Visitor& visitor : visitors) {
            parts.push_back({visitor.array, place_of(visitor.places)});
        }
        builder_.compute(
            name.name, name.phase,
            matmul_of(1, {many * product.m, product.k, product.n}, builder_.dtype(part),
                      builder_.f32_passes()),
            reads, {{result, share(visitors.size())}}, [=](const auto& on) {
                using Real = NumberOf<decltype(on)>;
                for (const RowsOfPlace& at : parts) {
                    Real* const here = on(result) + at.place(on.device()) * product.m * product.n;
                    set_product(Factors<Real>{{on(at.array), product.k},
                                              {on(right.array), of_right.columns, right.transposed},
                                              {here, product.n}},
                                product);
                    if (bias.exists()) {
                        add_bias(on(bias), product.m, product.n, here);
                    }
                }
            });
    });
}

void RingProducts::multiply_over_rows(const Name& name, OverRows factors, Array result,
                                      Array column_sums)
{
    const Array gathered = factors.gathers_left ? factors.left : factors.right;
    const Array whole = factors.gathers_left ? factors.right : factors.left;
    const std::int64_t rows = builder_.shape(gathered).rows;
    const ProductShape product{builder_.shape(factors.left).columns, rows,
                               builder_.shape(factors.right).columns};
    if (builder_.shape(whole).rows != parts_ * rows || builder_.shape(result).rows != product.m ||
        builder_.shape(result).columns != product.n) {
        throw std::logic_error("matrices of " + name.name + " do not fit together");
    }
    gather(name.name, gathered, [&](const std::vector<Visitor>& visitors, int number) {
        std::vector<Touch> reads{{whole, share(visitors.size())}};
        std::vector<Touch> writes{result};
        if (column_sums.exists()) {
            writes.emplace_back(column_sums);
        }
        if (number > 0) {
            reads.insert(reads.end(), writes.begin(), writes.end());
        }
        std::vector<RowsOfPlace> parts;
        for (const Visitor& visitor : visitors) {
            reads.emplace_back(visitor.array);
            parts.push_back({visitor.array, place_of(visitor.places)});
        }
        const auto many = static_cast<std::int64_t>(visitors.size());
        builder_.compute(
            name.name, name.phase,
            matmul_of(1, {product.m, many * product.k, product.n}, builder_.dtype(gathered),
                      builder_.f32_passes()),
            reads, writes, [=](const auto& on) {
                using Real = NumberOf<decltype(on)>;
                if (number == 0) {
                    std::fill_n(on(result), product.m * product.n, Real(0));
                    if (column_sums.exists()) {
                        std::fill_n(on(column_sums), product.n, Real(0));
                    }
                }
                for (const RowsOfPlace& at : parts) {
                    const std::int64_t first = at.place(on.device()) * rows;
                    const Real* const left =
                        factors.gathers_left ? on(at.array) : on(whole) + first * product.m;
                    const Real* const right =
                        factors.gathers_left ? on(whole) + first * product.n : on(at.array);
                    add_product(Factors<Real>{{left, product.m, true},
                                              {right, product.n},
                                              {on(result), product.n}},
                                product);
                    for (std::int64_t i = 0; column_sums.exists() && i < rows; ++i) {
                        std::transform(right + i * product.n, right + (i + 1) * product.n,
                                       on(column_sums), on(column_sums), std::plus<Real>());
                    }
                }
            });
    });
}

// The sum for a device begins at one that is furthest away from it, and takes up what each on its
// way has for it. Both ways: those that go back (to the device before) begin P/2 + 1 places behind
// their end, those that go onward P/2 places before it, one of which is left when all is
// multiplied.
void RingProducts::multiply_and_scatter(const Name& name, Array left, StepBuilder::Operand right,
                                        Array result)
{
    const auto onward = [&](int number) { return buffer("onward", number, result); };
    const auto back = [&](int number) { return buffer("back", number, result); };
    const auto partial = [&](const std::string& way) {
        return builder_.array("workspace.ring.partial_" + way, builder_.shape(result),
                              builder_.dtype(result));
    };
    for (int number = 0; number < steps(); ++number) {
        const bool is_first = number == 0;
        const bool is_last = number + 1 == steps();
        const Array one = is_first ? onward(0) : partial("onward");
        if (!both_ways_) {
            if (!is_first) {
                builder_.permute(name.name, axis_, onward(number - 1), onward(number));
            }
            multiply_rows(name, left, right, {{one, -1 - number}});
            if (!is_first) {
                add(name, {{is_last ? result : onward(number), onward(number), one}});
            }
            continue;
        }
        if (!is_first) {
            builder_.permute_both_ways(name.name, axis_, {onward(number - 1), onward(number)},
                                       {back(number - 1), back(number)});
        }
        const Array other = is_first ? back(0) : partial("back");
        multiply_rows(name, left, right,
                      {{one, parts_ / 2 - number}, {other, parts_ / 2 + 1 + number}});
        if (!is_first) {
            add(name, {{onward(number), onward(number), one}, {back(number), back(number), other}});
        }
    }
    if (both_ways_) {
        builder_.permute(name.name, axis_, onward(steps() - 1), onward(steps()));
        add(name, {{result, back(steps() - 1), onward(steps())}});
    }
}

void RingProducts::multiply_rows(const Name& name, Array left, StepBuilder::Operand right,
                                 const std::vector<Visitor>& results)
{
    const Shape of_right = builder_.shape(right.array);
    const Shape of_result = builder_.shape(results.front().array);
    const ProductShape product{of_result.rows, builder_.shape(left).columns, of_result.columns};
    if (product.k != (right.transposed ? of_right.columns : of_right.rows) ||
        product.n != (right.transposed ? of_right.rows : of_right.columns) ||
        builder_.shape(left).rows != parts_ * product.m) {
        throw std::logic_error("matrices of " + name.name + " do not fit together");
    }
    std::vector<Touch> writes;
    std::vector<RowsOfPlace> parts;
    for (const Visitor& result : results) {
        writes.emplace_back(result.array);
        parts.push_back({result.array, place_of(result.places)});
    }
    const auto many = static_cast<std::int64_t>(results.size());
    builder_.compute(
        name.name, name.phase,
        matmul_of(1, {many * product.m, product.k, product.n}, builder_.dtype(left),
                  builder_.f32_passes()),
        {{left, share(results.size())}, right.array}, writes, [=](const auto& on) {
            using Real = NumberOf<decltype(on)>;
            for (const RowsOfPlace& at : parts) {
                const std::int64_t first = at.place(on.device()) * product.m;
                set_product(Factors<Real>{{on(left) + first * product.k, product.k},
                                          {on(right.array), of_right.columns, right.transposed},
                                          {on(at.array), product.n}},
                            product);
            }
        });
}

void RingProducts::add(const Name& name, const std::vector<Sum>& sums)
{
    const std::int64_t elements = builder_.shape(sums.front().result).elements();
    model::Vector work;
    work.elements = elements * static_cast<std::int64_t>(sums.size());
    work.ops_per_element = 1;
    work.dtype = builder_.dtype(sums.front().result);
    std::vector<Touch> reads;
    std::vector<Touch> writes;
    for (const Sum& sum : sums) {
        reads.insert(reads.end(), {sum.one, sum.other});
        writes.emplace_back(sum.result);
    }
    builder_.compute(name.name + " sum", name.phase, work, reads, writes, [=](const auto& on) {
        using Real = NumberOf<decltype(on)>;
        for (const Sum& sum : sums) {
            const Real* const one = on(sum.one);
            std::transform(one, one + elements, on(sum.other), on(sum.result), std::plus<Real>());
        }
    });
}

} // namespace alxsim::spmd
