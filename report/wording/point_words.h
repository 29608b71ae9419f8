// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"

#include <string>

namespace alxsim::report {

/// "128,000 tokens/s, MFU 40%, HFU 53%, 0.021 $ per million tokens".
std::string throughput_in_words(const Throughput& throughput);

/// "bubble (18%), straggler (1.1%)": of an interval of so many seconds, what it waits for; empty
/// where that is less than a thousandth.
std::string waiting_in_words(const Breakdown& interval);

/// "fsdp (exposed 3.1 ms of 12 ms, 2.2 ms while nothing is computed), ...": empty where it does not
/// communicate.
std::string communication_in_words(const Breakdown& interval);

} // namespace alxsim::report
