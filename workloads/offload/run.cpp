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

} // namespace

RunStore::RunStore(const std::string& checkpoint)
    : folder_(checkpoint.empty() ? temporary_folder() : ""),
      path_(checkpoint.empty() ? folder_ + "/layers" : checkpoint + ".layers")
{
}

RunStore::~RunStore()
{
    if (!folder_.empty()) {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    } else if (!kept_) {
        remove_file();
    }
}

void RunStore::remove_file() const
{
    std::error_code ignored;
    fs::remove(path_, ignored);
}

OffloadRun::OffloadRun(const OffloadWorkload& workload, const workloads::RunOptions& options)
    : StepRun(workload.program().front().step.graph, workload.config().model.steps, options),
      workload_(workload),
      text_(transformer::training_text(workload.config().model)),
      exports_(!options.export_folder.empty()),
      store_(options.checkpoint)
{
    resume();
    open_store();
}

/// A step is committed before its checkpoint is written, so that the store may be a step ahead.
void OffloadRun::open_store()
{
    const int known = static_cast<int>(figures().size());
    if (known == 0) {
        store_.remove_file();
    }
    store_.keep(known > 0); // a new one that cannot be begun goes
    model_ = std::make_unique<OffloadedModel>(workload_.config(), workload_.order(), store_.path(),
                                              known > 0);
    store_.keep(true);
    if (model_->steps() < known) {
        throw InputError(store_.path(), "",
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
    if (exports_) {
        const std::vector<std::vector<double>> values = model_->values();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const transformer::ParameterOf& of = model_->parameters()[i];
            export_matrix(of.name(), {of.spec->rows, of.spec->columns, values[i]}, NpyNumber::f4);
        }
    }
    store_.keep(model_->steps() < workload_.config().model.steps);
}

} // namespace alxsim::offload
