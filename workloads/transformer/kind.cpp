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

/// Names with bars between them, in lines that begin with so many blanks.
std::string in_lines(const std::vector<std::string>& names, std::size_t blanks)
{
    std::string text;
    std::size_t line = blanks;
    for (const std::string& name : names) {
        const std::string piece = (text.empty() ? "" : "|") + name;
        if (line + piece.size() > 96) {
            text += "\n" + std::string(blanks, ' ');
            line = blanks;
        }
        text += piece;
        line += piece.size();
    }
    return text;
}

std::string help()
{
    const std::string next = ",\n" + std::string(17, ' ');
    return "            transformer {preset " + in_lines(preset_names(), 17) + next +
           "or layers, hidden, heads, kv_heads, mlp_width, gated, .., vocabulary, sequence," +
           next.substr(1) + "mode train|prefill|decode, batch, context" + next +
           "mesh {data, fsdp, tensor, sequence, expert, pipeline | data, row, column}" + next +
           "sharding " + join(names_of_values<ShardingKind>(), "|") + ", attention stored|flash" +
           next + "recomputation " + join(names_of_values<RecomputationPolicy>(), "|") +
           "|{save, offload}, microbatches" + next +
           "pipeline_schedule, experts {count, per_token, width, capacity, routing}" + next +
           "precision dtype|int8|fp8, dtype bf16|f32" + next +
           "optimizer adam|adafactor|sgd, optimizer_sharding none|zero1, gradient_overlap" + next +
           "steps, text FILE, input {bytes_per_second}}\n";
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
