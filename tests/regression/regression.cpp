// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"
#include "base/numbers/mix64.h"
#include "model/graph/effects.h"
#include "workloads/registry.h"

#include <filesystem>
#include <numeric>

/// A small workload of another kind, by which the tests hold the seam: data-parallel linear
/// regression by gradient descent. Rows are dealt to the devices, every step all-reduces the
/// gradient. A study says `"regression": {"rows", "features", "steps", "dtype"}`.
namespace alxsim::testing {
namespace {

using namespace workloads;

struct Sizes {
    std::int64_t rows, features;
    int steps, devices;
    model::DType dtype;
    std::int64_t shard_rows() const { return rows / devices; }
};

/// Number i of a row, in [-1, 1); row -1 has the weights that made the labels.
double value_of(std::int64_t row, std::size_t i)
{
    const std::uint64_t bits = mix64(mix64(static_cast<std::uint64_t>(row)) + i);
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

struct Numbers {
    std::vector<double> weights;              ///< [feature]
    std::vector<std::vector<double>> partial; ///< [device][features + 1]: gradient, squared errors
    std::vector<double> losses;               ///< [step]
};

void add_shard(const Sizes& sizes, int device, Numbers& numbers)
{
    const std::vector<double>& weights = numbers.weights;
    std::vector<double>& sums = numbers.partial[static_cast<std::size_t>(device)];
    sums.assign(weights.size() + 1, 0);
    const std::int64_t first = device * sizes.shard_rows();
    for (std::int64_t row = first; row < first + sizes.shard_rows(); ++row) {
        double error = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            error += value_of(row, i) * (weights[i] - value_of(-1, i));
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            sums[i] += error * value_of(row, i);
        }
        sums.back() += error * error;
    }
}

void descend(const Sizes& sizes, Numbers& numbers)
{
    const auto rows = static_cast<double>(sizes.rows);
    numbers.losses.push_back(0);
    for (const auto& sums : numbers.partial) {
        numbers.losses.back() += sums.back() / rows;
        for (std::size_t i = 0; i < numbers.weights.size(); ++i) {
            numbers.weights[i] -= 0.1 * sums[i] / rows;
        }
    }
}

/// A step. With `numbers`, its ops compute them.
std::shared_ptr<const model::OpGraph> step_graph(const Sizes& sizes, Numbers* numbers)
{
    const Bytes data = model::size_of(sizes.dtype) * (sizes.shard_rows() * sizes.features);
    model::Op gradient;
    gradient.name = gradient.phase = "gradient";
    gradient.work = model::Matmul{1, 2, sizes.shard_rows(), sizes.features, sizes.dtype};
    gradient.reads = {{"data.rows", data}};
    model::Op reduce;
    reduce.name = reduce.phase = "reduction";
    reduce.work = model::Collective{model::CollectiveKind::all_reduce, Bytes(4 * sizes.features)};
    reduce.after = {0};
    if (numbers != nullptr) {
        gradient.effect = model::device_effect([=](int d) { add_shard(sizes, d, *numbers); });
        reduce.effect = model::group_effect([=] { descend(sizes, *numbers); });
    }
    return std::make_shared<const model::OpGraph>(
        model::OpGraph{"regression", {gradient, reduce}, {}});
}

class RegressionRun : public Run {
public:
    RegressionRun(const Sizes& sizes, const RunOptions& options)
        : sizes_(sizes),
          options_(options),
          pool_(options.threads),
          graph_(step_graph(sizes, &numbers_))
    {
        numbers_.weights.resize(static_cast<std::size_t>(sizes.features));
        numbers_.partial.resize(static_cast<std::size_t>(sizes.devices));
        if (options.resume && std::filesystem::exists(options.checkpoint)) {
            const Json kept = load_json(options.checkpoint);
            if (kept.at("key") == options.checkpoint_key) {
                numbers_.weights = kept.at("weights").get<std::vector<double>>();
                numbers_.losses = kept.at("losses").get<std::vector<double>>();
            }
        }
    }

    std::optional<model::Step> next() override
    {
        if (step_ == sizes_.steps) {
            return std::nullopt;
        }
        if (static_cast<int>(numbers_.losses.size()) == step_++) { // else it was done before
            model::run_effects(*graph_, sizes_.devices, pool_);
            if (!options_.checkpoint.empty()) {
                const Json kept{{"key", options_.checkpoint_key},
                                {"weights", numbers_.weights},
                                {"losses", numbers_.losses}};
                write_file_atomically(options_.checkpoint, kept.dump());
            }
        }
        return model::Step{graph_, {}, step_};
    }

    std::vector<IntervalMetrics> metrics() const override
    {
        std::vector<IntervalMetrics> all;
        for (std::size_t i = 0; i < numbers_.losses.size(); ++i) {
            all.push_back({static_cast<int>(i) + 1, {{"loss", "", numbers_.losses[i]}}});
        }
        return all;
    }

    Json results() const override
    {
        const std::vector<double>& weights = numbers_.weights;
        const double norm =
            std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
        return {{"norm", norm}, {"weights", weights}};
    }

private:
    Sizes sizes_;
    RunOptions options_;
    HostPool pool_;
    Numbers numbers_;
    std::shared_ptr<const model::OpGraph> graph_;
    int step_ = 0;
};

class Regression : public Workload {
public:
    explicit Regression(const Sizes& sizes) : sizes_(sizes) {}

    std::string interval() const override { return "training step"; }
    int intervals() const override { return sizes_.steps; }
    const model::Program& program() const override { return program_; }
    std::unique_ptr<Run> start(const RunOptions& options) const override
    {
        return std::make_unique<RegressionRun>(sizes_, options);
    }
    Choices choices() const override
    {
        Choices all;
        all.list = {{"dtype", {{}, {"dtype bf16", in_bf16, false, "half the bytes of data"}}}};
        return all;
    }
    std::vector<Unknown> unknowns() const override
    {
        const auto rows = static_cast<double>(sizes_.rows);
        return {number_unknown("rows of data", {rows / 2, rows, 2 * rows}, "rows", UnknownOf::run)};
    }
    model::Program drawn(const DrawnValues& values) const override
    {
        Sizes sizes = sizes_;
        sizes.rows = static_cast<std::int64_t>(values.at(0).value_or(sizes.rows));
        return {{{step_graph(sizes, nullptr), {}, 1}, 1}};
    }

private:
    const Settings in_bf16{{"/workload/regression/dtype", "bf16"}};
    Sizes sizes_;
    model::Program program_{{{step_graph(sizes_, nullptr), {}, 1}, 1}};
};

std::unique_ptr<Workload> make_regression(const Json& study, const std::string& /*file*/,
                                          const topologies::Machine& machine)
{
    const Json& job = study.at("workload").at("regression");
    const auto dtype = job.at("dtype") == "bf16" ? model::DType::bf16 : model::DType::f32;
    return std::make_unique<Regression>(
        Sizes{job.at("rows"), job.at("features"), job.at("steps"), machine.devices, dtype});
}

} // namespace

Kind regression_kind()
{
    Kind kind;
    kind.name = "regression";
    kind.fields["regression"] = Json::parse(R"({"type": "object", "required": ["rows", "features"],
        "properties": {"rows": {}, "features": {}, "steps": {"default": 1},
                       "dtype": {"default": "f32"}}})");
    kind.make = make_regression;
    kind.phases = {"gradient", "reduction"};
    kind.choices = {"dtype"};
    return kind;
}

} // namespace alxsim::testing
