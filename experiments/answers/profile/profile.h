// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// An instruction in a step of a profile, all its runs together.
struct ProfiledOp {
    std::string name;     ///< "fusion.12"
    std::string category; ///< hlo_category; "": the profile does not say
    std::string source;   ///< file:line; "": likewise
    std::int64_t calls = 0;
    double seconds = 0; ///< without what ran inside (the body of a while)
};

/// What the TensorCore of one device did in one step.
struct Profile {
    std::string file;
    int device = 0;
    std::string step;            ///< its name: "7", or that of the module's run
    std::string chosen;          ///< in words: "the median of 9 steps"
    double step_seconds = 0;     ///< from its begin to its end
    double busy_seconds = 0;     ///< of the ops
    std::vector<ProfiledOp> ops; ///< the longest first
};

/// Reads a trace as JAX's profiler writes it (*.trace.json.gz, perfetto_trace.json.gz): the thread
/// "XLA Ops" of the process "/device:TPU:N". Of several steps (thread "Steps", else the runs of the
/// module that takes most time in "XLA Modules") the one of median length counts. One pass over the
/// text, memory in proportion to its events. `device`: N; absent: the lowest that has ops.
///
/// Throws InputError with line and column for text that is no JSON, with the event's pointer for
/// times that are none, and for a trace without such a device.
Profile profile_of(const std::string& text, const std::string& file,
                   std::optional<int> device = std::nullopt);

/// The same of a file, plain or compressed by gzip, of up to 4 GiB.
Profile read_profile(const std::string& path, std::optional<int> device = std::nullopt);

} // namespace alxsim::experiments
