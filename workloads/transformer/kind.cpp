// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/kind.h"

#include "base/input_error.h"
#include "workloads/transformer/presets.h"
#include "workloads/transformer/request.h"
#include "workloads/transformer/workload.h"

namespace alxsim::transformer {
namespace {

std::unique_ptr<workloads::Workload> make_workload(const Json& study, const std::string& file,
                                                   const topologies::Machine& machine)
{
    TransformerConfig config = config_of(
        transformer_request(study.at("workload").at("transformer")), file, machine.devices);
    config.seed = study.value("seed", std::uint64_t{1});
    if (study.value("numerics", false) && !config.trains()) {
        throw InputError(file, "/numerics",
                         "found true with mode " + std::string(name_of_value(config.mode)) +
                             "; allowed: false, as there are no trained parameters to serve with");
    }
    if (study.value("numerics", false) && config.size.vocabulary < 256) {
        throw InputError(file, "/workload/transformer/vocabulary",
                         "found " + std::to_string(config.size.vocabulary) +
                             "; allowed with numerics: 256 or more, as tokens are bytes");
    }
    return std::make_unique<TransformerWorkload>(std::move(config), machine, file);
}

std::string help()
{
    return "            transformer {preset " + join(preset_names(), "|") +
           ", or layers, hidden, heads, vocabulary, sequence,\n"
           "                 batch, sharding " +
           join(names_of_values<ShardingKind>(), "|") +
           ", mesh {data, tensor | row, column},\n"
           "                 recomputation " +
           join(names_of_values<RecomputationPolicy>(), "|") +
           ", gradient_overlap none|backward,\n"
           "                 dtype bf16|f32|f64, optimizer, steps, text FILE, "
           "input {bytes_per_second}}\n";
}

} // namespace

workloads::Kind transformer_kind()
{
    workloads::Kind kind;
    kind.name = "transformer";
    kind.fields["transformer"] = transformer_schema();
    kind.make = make_workload;
    kind.metrics = {{"loss", "", "nats", workloads::Better::lower},
                    {"perplexity", "", "", workloads::Better::lower}};
    kind.input_hint = "\"input\" in /workload/transformer adds one";
    kind.exports = {"parameters"};
    kind.choices = choice_names();
    kind.help = help();
    return kind;
}

} // namespace alxsim::transformer
