// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <optional>
#include <string>

namespace alxsim {

/// Memory that this host still has for us: what the system says is available, less where a control
/// group allows less.
Bytes available_host_memory();

/// What a process of this program may take of it: ALXSIM_MEMORY, which `run --memory` sets for all
/// its processes, else what is available. Throws InputError for a variable that is no size.
Bytes host_memory_limit();

/// How far this process' resident memory rises above what it is at the construction. One at a time
/// in a process.
class PeakMemory {
public:
    PeakMemory();
    /// None where the system does not tell.
    std::optional<Bytes> rise() const;

private:
    std::optional<Bytes> before_;
};

/// "8G", "1.5 TiB", "200e6"; K, M, G and T are powers of 1024. `option` is for messages. Throws
/// InputError.
Bytes bytes_of_text(const std::string& text, const std::string& option);

/// "17.2 GiB", "3.0 MiB".
std::string memory_in_words(Bytes bytes);

/// Throws InputError at the place where `needed` is more than `limit`; `what` takes it: "the
/// tables".
void refuse_beyond_memory(Bytes needed, Bytes limit, const std::string& what,
                          const std::string& file, const std::string& place);

/// How many of `jobs` points, of which the largest keeps `largest`, may run at once: one at least,
/// which is refused where it alone is too large.
int points_at_once(int jobs, Bytes largest, Bytes limit);

} // namespace alxsim
