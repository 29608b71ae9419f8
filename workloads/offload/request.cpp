// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/request.h"

#include "base/input_error.h"
#include "base/schema/json_schema.h"
#include "topologies/storage_io_names.h"
#include "workloads/transformer/request.h"

#include <array>

namespace alxsim {

namespace json_fields {

template <>
struct Form<offload::Schedule> : NamedForm<offload::Schedule> {
};
template <>
struct Form<topologies::StorageIo> : NamedForm<topologies::StorageIo> {
};

} // namespace json_fields

namespace offload {
namespace {

/// What of a transformer's fields has no meaning here: several devices, serving, parts of a batch.
constexpr std::array<const char*, 12> not_here{"mesh",
                                               "sharding",
                                               "optimizer_sharding",
                                               "gradient_overlap",
                                               "tensor_overlap",
                                               "microbatches",
                                               "pipeline_schedule",
                                               "chunks",
                                               "mode",
                                               "context",
                                               "input",
                                               "experts"};

struct OffloadRequest {
    OffloadConfig config;
};

template <class Fields>
void list_fields(Fields& fields, OffloadRequest& request)
{
    OffloadConfig& config = request.config;
    fields.newer("schedule", config.schedule,
                 "When the optimizer changes a layer. sync: after the whole backward, and the next "
                 "step waits for it. fifo: as its gradient arrives. edf: of the layers that wait "
                 "the one that the next forward needs first. stale: as fifo, but the next step "
                 "computes with the weights before, so that updates are one step late.");
    fields.newer("io", config.io,
                 "How the host reaches its drives. kernel: through a bounce buffer. user: from "
                 "user space, without a copy.");
    fields.newer("prefetch", config.prefetch,
                 "Layers whose weights may be in HBM or on their way at once, the one that "
                 "computes among them.",
                 limits::between(1, 1000));
    fields.newer("buffers", config.buffers,
                 "Layers whose optimizer's state may be in host memory at once.",
                 limits::between(1, 1000));
    fields("clip_norm", config.clip_norm,
           "Largest norm of all gradients together, to which they are scaled down; with schedule "
           "sync and stale. [they are not clipped]",
           limits::above(0));
}

[[noreturn]] void refuse(const std::string& file, const char* field, const std::string& problem)
{
    throw InputError(file, std::string("/workload/offload") + field, problem);
}

void check(const OffloadConfig& config, const std::string& file)
{
    using transformer::OptimizerKind;
    if (config.model.optimizer.kind == OptimizerKind::adafactor) {
        refuse(file, "/optimizer",
               "found adafactor, which needs sums of a whole matrix; allowed: adam, sgd, which the "
               "host does number by number");
    }
    if (config.clip_norm &&
        (config.schedule == Schedule::fifo || config.schedule == Schedule::edf)) {
        refuse(file, "/clip_norm",
               "found a norm with schedule " + std::string(name_of_value(config.schedule)) +
                   ", which changes layers before the norm of all gradients is known; allowed: "
                   "schedule sync and stale, or no clip_norm");
    }
}

/// Its fields of a transformer, as that reads them.
transformer::TransformerConfig model_of(const Json& workload, const std::string& file)
{
    const Json known = transformer::transformer_schema().at("properties");
    Json model = Json::object();
    for (const auto& [name, value] : workload.items()) {
        if (known.contains(name)) {
            model[name] = value;
        }
    }
    try {
        return transformer::config_of(transformer::transformer_request(model), file, 1);
    } catch (const InputError& error) {
        const std::string theirs = "/workload/transformer";
        if (error.place().rfind(theirs, 0) != 0) {
            throw;
        }
        throw InputError(error.file(), "/workload/offload" + error.place().substr(theirs.size()),
                         error.problem());
    }
}

} // namespace

OffloadConfig offload_config(const Json& study, const std::string& file, int devices)
{
    const Json& workload = study.at("workload").at("offload");
    if (devices != 1) {
        throw InputError(file, "/machine",
                         "found " + std::to_string(devices) +
                             " devices; allowed: 1, as an offloaded step is timed of one device "
                             "with its share of a host (\"chips\": 1; \"overrides\": "
                             "{\"chips_per_host\": 1} gives it the whole host)");
    }
    OffloadRequest request;
    Json own = Json::object();
    const Json fields = json_schema::of_type<OffloadRequest>({}, json_schema::Use::read);
    for (const auto& [name, value] : workload.items()) {
        if (fields.at("properties").contains(name)) {
            own[name] = value;
        }
    }
    read_json(own, request);
    OffloadConfig config = request.config;
    config.model = model_of(workload, file);
    config.model.seed = study.value("seed", std::uint64_t{1});
    check(config, file);
    return config;
}

std::string io_name(topologies::StorageIo io)
{
    return name_of_value(io);
}

Json offload_schema()
{
    Json model = transformer::transformer_schema().at("properties");
    for (const char* const field : not_here) {
        model.erase(field);
    }
    Json schema = json_schema::of_type<OffloadRequest>({}, json_schema::Use::read);
    schema["description"] =
        "A training step of a decoder-only transformer on one device, whose layers' weights, "
        "gradients and optimizer's state stand below HBM.";
    schema["properties"].update(model);
    return schema;
}

} // namespace offload
} // namespace alxsim
