// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/run.h"

#include "base/npy.h"
#include "base/portable_math.h"
#include "workloads/transformer/text.h"
#include "workloads/transformer/workload.h"

#include <cmath>
#include <filesystem>

namespace alxsim::transformer {

TransformerRun::TransformerRun(const TransformerWorkload& workload,
                               const workloads::RunOptions& options)
    : StepRun(workload.graph(), workload.config().steps, options),
      workload_(workload),
      text_(training_text(workload.config())),
      model_(workload.config(), workload.devices())
{
    resume();
}

std::vector<double> TransformerRun::compute(int step, HostPool& pool)
{
    return {
        model_.train(step, tokens_of_step(workload_.config(), model_.layout(), text_, step), pool)};
}

std::vector<workloads::Metric> TransformerRun::metrics_of(const std::vector<double>& figures) const
{
    std::vector<workloads::Metric> metrics{{"loss", "nats", std::nullopt},
                                           {"perplexity", "", std::nullopt}};
    if (const double loss = figures.front(); std::isfinite(loss)) {
        metrics[0].value = loss;
        metrics[1].value = portable::exp(loss);
    }
    return metrics;
}

Json TransformerRun::counters() const
{
    return spmd::counts_json(model_.moved());
}

void TransformerRun::write_exports() const
{
    if (options().export_folder.empty()) {
        return;
    }
    std::filesystem::create_directories(options().export_folder);
    for (const ParameterOf& of : model_.parameters()) {
        const NpyMatrix matrix{of.spec->rows, of.spec->columns, model_.value(of)};
        write_npy(options().export_folder + "/" + of.name() + ".npy", matrix,
                  workload_.config().dtype == model::DType::f64 ? NpyNumber::f8 : NpyNumber::f4);
    }
}

} // namespace alxsim::transformer
