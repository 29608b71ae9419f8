// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/storage_spec.h"
#include "workloads/offload/schedule/optimizer_order.h"
#include "workloads/transformer/config.h"

#include <optional>
#include <string>

namespace alxsim::offload {

/// What a study's /workload/offload says: a transformer on one device, and how it is offloaded.
struct OffloadConfig {
    transformer::TransformerConfig model;
    Schedule schedule = Schedule::edf;
    topologies::StorageIo io = topologies::StorageIo::user;
    int prefetch = 2;
    int buffers = 4;
    std::optional<double> clip_norm; ///< largest norm of all gradients together

    OffloadShape shape() const
    {
        return {schedule, static_cast<int>(model.size.layers), prefetch, buffers,
                clip_norm.has_value()};
    }
};

/// Reads a study that obeys the schema, on so many devices. Throws InputError with the JSON
/// pointer.
OffloadConfig offload_config(const Json& study, const std::string& file, int devices);

/// "kernel" or "user".
std::string io_name(topologies::StorageIo io);

/// The JSON Schema of /workload/offload.
Json offload_schema();

} // namespace alxsim::offload
