// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/run.h"

#include "base/portable_math.h"
#include "workloads/transformer/text.h"
#include "workloads/transformer/workload.h"

#include <cmath>

namespace alxsim::transformer {

TransformerRun::TransformerRun(const TransformerWorkload& workload,
                               const workloads::RunOptions& options)
    : StepRun(workload.graph(), workload.config().steps, options),
      workload_(workload),
      text_(training_text(workload.config())),
      model_(workload.config(), &moved())
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
    std::vector<workloads::Metric> metrics{{"loss", std::nullopt}, {"perplexity", std::nullopt}};
    if (const double loss = figures.front(); std::isfinite(loss)) {
        metrics[0].value = loss;
        metrics[1].value = portable::exp(loss);
    }
    return metrics;
}

void TransformerRun::write_exports() const
{
    for (const ParameterOf& of : model_.parameters()) {
        export_matrix(of.name(), {of.spec->rows, of.spec->columns, model_.value(of)},
                      workload_.config().dtype == model::DType::f64 ? NpyNumber::f8
                                                                    : NpyNumber::f4);
    }
}

} // namespace alxsim::transformer
