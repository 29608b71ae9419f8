// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/run.h"

#include "base/npy.h"
#include "base/portable_math.h"
#include "workloads/transformer/checkpoint.h"
#include "workloads/transformer/text.h"
#include "workloads/transformer/workload.h"

#include <cmath>
#include <filesystem>

namespace alxsim::transformer {

TransformerRun::TransformerRun(const TransformerWorkload& workload,
                               const workloads::RunOptions& options)
    : workload_(workload),
      options_(options),
      pool_(options.threads),
      text_(training_text(workload.config())),
      model_(workload.config(), workload.devices())
{
    if (options.resume && !options.checkpoint.empty()) {
        resume();
    }
}

void TransformerRun::resume()
{
    if (const auto kept = read_checkpoint(options_.checkpoint, options_.checkpoint_key)) {
        model_.restore(kept->state);
        losses_ = kept->losses;
    }
}

void TransformerRun::keep() const
{
    if (!options_.checkpoint.empty() && step_ < workload_.config().steps) {
        write_checkpoint(options_.checkpoint, options_.checkpoint_key, {losses_, model_.state()});
    }
}

std::optional<model::Step> TransformerRun::next()
{
    const TransformerConfig& config = workload_.config();
    if (options_.progress) { // steps handed out are done when the next one is asked for
        options_.progress(static_cast<double>(step_) / config.steps);
    }
    if (step_ == config.steps) {
        return std::nullopt;
    }
    ++step_;
    if (static_cast<int>(losses_.size()) < step_) { // else it was done before
        losses_.push_back(
            model_.train(step_, tokens_of_step(config, model_.layout(), text_, step_), pool_));
        keep();
    }
    return model::Step{workload_.graph(), {}, step_};
}

std::vector<workloads::IntervalMetrics> TransformerRun::metrics() const
{
    std::vector<workloads::IntervalMetrics> all;
    for (const double loss : losses_) {
        workloads::IntervalMetrics step{
            static_cast<int>(all.size()) + 1,
            {{"loss", "nats", std::nullopt}, {"perplexity", "", std::nullopt}}};
        if (std::isfinite(loss)) {
            step.metrics[0].value = loss;
            step.metrics[1].value = portable::exp(loss);
        }
        all.push_back(std::move(step));
    }
    return all;
}

Json TransformerRun::counters() const
{
    return counts_json(model_.moved());
}

void TransformerRun::write_exports() const
{
    if (options_.export_folder.empty()) {
        return;
    }
    std::filesystem::create_directories(options_.export_folder);
    for (const ParameterOf& of : model_.parameters()) {
        const NpyMatrix matrix{of.spec->rows, of.spec->columns, model_.value(of)};
        write_npy(options_.export_folder + "/" + of.name() + ".npy", matrix,
                  workload_.config().dtype == model::DType::f64 ? NpyNumber::f8 : NpyNumber::f4);
    }
}

} // namespace alxsim::transformer
