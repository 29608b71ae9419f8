// SPDX-License-Identifier: Apache-2.0
#include "spmd/step_run.h"

#include "base/input_error.h"

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace alxsim::spmd {

StepRun::StepRun(std::shared_ptr<const model::OpGraph> graph, int steps,
                 workloads::RunOptions options)
    : graph_(std::move(graph)),
      steps_(steps),
      options_(std::move(options)),
      pool_(options_.threads)
{
}

void StepRun::resume()
{
    if (!options_.resume || options_.checkpoint.empty()) {
        return;
    }
    if (const auto state =
            read_checkpoint(options_.checkpoint, options_.checkpoint_key(), memory())) {
        for (const Json& of_step : state->at("figures")) {
            figures_.emplace_back();
            for (const Json& figure : of_step) { // what is not finite is null in JSON
                figures_.back().push_back(figure.is_null()
                                              ? std::numeric_limits<double>::quiet_NaN()
                                              : figure.get<double>());
            }
        }
        for (const auto& [name, count] : state->at("moved").items()) {
            moved_[name] = {count.at(0), count.at(1)};
        }
    }
}

void StepRun::keep()
{
    if (!options_.checkpoint.empty() && step_ < steps_) {
        Json moved = Json::object();
        for (const auto& [name, count] : moved_) {
            moved[name] = {count.calls, count.elements};
        }
        write_checkpoint(options_.checkpoint, options_.checkpoint_key(),
                         {{"figures", figures_}, {"moved", moved}}, memory());
    }
}

void StepRun::export_matrix(const std::string& name, const NpyMatrix& matrix,
                            NpyNumber number) const
{
    if (!options_.export_folder.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(options_.export_folder, problem);
        if (problem) {
            throw InputError("--export", options_.export_folder,
                             "cannot be made a folder to write to: " + problem.message());
        }
        write_npy(options_.export_folder + "/" + name + ".npy", matrix, number);
    }
}

void StepRun::export_array(const std::string& name, const Numbers& numbers, Array array,
                           Shape shape) const
{
    export_matrix(name, {shape.rows, shape.columns, numbers.read(array, 0)},
                  numbers.in_f64() ? NpyNumber::f8 : NpyNumber::f4);
}

std::optional<model::Step> StepRun::next()
{
    if (options_.progress) { // steps handed out are done when the next one is asked for
        options_.progress(static_cast<double>(step_) / steps_);
    }
    if (step_ == steps_) {
        return std::nullopt;
    }
    ++step_;
    if (static_cast<int>(figures_.size()) < step_) { // else it was done before
        figures_.push_back(compute(step_, pool_));
        keep();
    }
    return model::Step{graph_of(step_), {}, step_};
}

std::vector<workloads::Metric> StepRun::metrics_of(const std::vector<double>&) const
{
    return {};
}

std::vector<workloads::IntervalMetrics> StepRun::metrics() const
{
    std::vector<workloads::IntervalMetrics> all;
    for (const std::vector<double>& figures : figures_) {
        std::vector<workloads::Metric> metrics = metrics_of(figures);
        if (!metrics.empty()) {
            const int step = static_cast<int>(&figures - figures_.data()) + 1;
            all.push_back({step, std::move(metrics)});
        }
    }
    return all;
}

} // namespace alxsim::spmd
