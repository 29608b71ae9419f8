// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// The chip that runs a partition.
struct PlacedPartition {
    std::int64_t id = 0;              ///< JAX's, 100000 and more in the second of several slices
    std::vector<std::int64_t> coords; ///< of its chip: x, y, z
    std::int64_t core = 0, slice = 0;
};

/// XLA's figures of memory, bytes of a device (CompiledMemoryStats).
struct XlaMemory {
    std::int64_t arguments = 0, outputs = 0, aliased = 0, temporary = 0, peak = 0;
    std::int64_t host_arguments = 0, host_outputs = 0, host_temporary = 0;

    /// What XLA allocates in HBM: arguments + outputs - aliased + temporary.
    std::int64_t allocated() const { return arguments + outputs - aliased + temporary; }
};

/// XLA's cost analysis; loops count once.
struct XlaFigures {
    std::optional<double> flops, transcendentals, bytes_accessed;
};

/// NAME.json beside NAME.hlo.txt: what HLO text does not say.
struct Sidecar {
    std::string chip;                ///< v5e, tpu7x, ...
    std::vector<std::int64_t> chips; ///< of a slice along its axes, as in v5p:2x2x4
    std::int64_t slices = 1;
    std::optional<std::vector<bool>> wrap; ///< rings of the axes; nothing: not said, meshes
    std::optional<bool> megacore;
    std::vector<PlacedPartition> assignment; ///< by partition
    std::optional<XlaMemory> memory;
    XlaFigures cost;
};

/// Throws InputError with `file`, the JSON pointer, what was found and what is allowed. Fields that
/// are not ours are passed over.
Sidecar sidecar_of(const Json& document, const std::string& file);
Sidecar read_sidecar(const std::string& path);

/// NAME.json of NAME.hlo.txt.gz, NAME.hlo.txt, NAME.hlo or NAME.txt.
std::string sidecar_path(const std::string& hlo_path);
/// What stands there; nothing where there is no such file.
std::optional<Sidecar> sidecar_beside(const std::string& hlo_path);

/// Throws InputError where the sidecar places another number of partitions than the text has, in
/// all or in each of its slices.
void check_partitions(const Sidecar& sidecar, const std::string& file, std::int64_t partitions);

} // namespace alxsim::hlo
