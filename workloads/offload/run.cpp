// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/run.h"

#include "base/input_error.h"
#include "base/portable_math.h"
#include "workloads/offload/workload.h"
#include "workloads/transformer/text.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace alxsim::offload {
namespace {

namespace fs = std::filesystem;

/// Throws std::runtime_error where none can be made.
std::string temporary_folder()
{
    std::string path = (fs::temp_directory_path() / "alxsim-store-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), path + " cannot be made");
    }
    return path;
}

void remove_if_there(const std::string& path)
{
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

} // namespace

OffloadRun::OffloadRun(const OffloadWorkload& workload, const workloads::RunOptions& options)
    : StepRun(workload.program().front().step.graph, workload.config().model.steps, options),
      workload_(workload),
      text_(transformer::training_text(workload.config().model))
{
    resume();
    open_store(options.checkpoint);
}

OffloadRun::~OffloadRun()
{
    const bool is_over = model_ != nullptr && model_->steps() == workload_.config().model.steps;
    model_.reset();
    if (!folder_.empty()) {
        remove_if_there(folder_);
    } else if (is_over) {
        remove_if_there(store_);
    }
}

/// A step is committed before its checkpoint is written, so that the store may be a step ahead.
void OffloadRun::open_store(const std::string& checkpoint)
{
    folder_ = checkpoint.empty() ? temporary_folder() : "";
    store_ = checkpoint.empty() ? folder_ + "/layers" : checkpoint + ".layers";
    const int known = static_cast<int>(figures().size());
    if (known == 0) {
        remove_if_there(store_);
    }
    model_ =
        std::make_unique<OffloadedModel>(workload_.config(), workload_.order(), store_, known > 0);
    if (model_->steps() < known) {
        throw InputError(store_, "",
                         "found " + std::to_string(model_->steps()) + " steps; allowed: the " +
                             std::to_string(known) + " of its checkpoint, or one more");
    }
}

std::vector<double> OffloadRun::compute(int step, HostPool& pool)
{
    if (step <= model_->steps()) {
        return {model_->loss(step)};
    }
    return {model_->train(
        transformer::tokens_of_step(workload_.config().model, model_->layout(), text_, step),
        pool)};
}

std::vector<workloads::Metric> OffloadRun::metrics_of(const std::vector<double>& figures) const
{
    std::vector<workloads::Metric> metrics{{"loss", std::nullopt}, {"perplexity", std::nullopt}};
    if (const double loss = figures.front(); std::isfinite(loss)) {
        metrics[0].value = loss;
        metrics[1].value = portable::exp(loss);
    }
    return metrics;
}

void OffloadRun::write_exports() const
{
    const std::vector<std::vector<double>> values = model_->values();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const transformer::ParameterOf& of = model_->parameters()[i];
        export_matrix(of.name(), {of.spec->rows, of.spec->columns, values[i]}, NpyNumber::f4);
    }
}

} // namespace alxsim::offload
