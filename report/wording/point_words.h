// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// "128,000 tokens/s, MFU 40%, HFU 53%, 0.021 $ per million tokens".
std::string throughput_in_words(const Throughput& throughput);

/// "bubble (18%), straggler (1.1%)": of an interval of so many seconds, what it waits for; empty
/// where that is less than a thousandth.
std::string waiting_in_words(const Breakdown& interval);

/// "3 of 7 slots wait: bubble 43%; devices wait for each other 47% of the time": of an interval in
/// which the stages of a pipeline take turns, by how it is cut and as it was timed; else empty.
std::string slots_in_words(const Result& result);

/// "fsdp (exposed 3.1 ms of 12 ms, 2.2 ms while nothing is computed), ...": empty where it does not
/// communicate.
std::string communication_in_words(const Breakdown& interval);

/// "20.7 GB of 16.9 GB a core, activations most": what a job needs of the memory that is too small.
std::string unfit_in_words(const PointMemory& memory);

/// "3 refused, 1 does not fit": how many points have no result and why; "" where all have one.
std::string missing_in_words(const std::vector<Point>& points);

/// Says why a point without a result has none, where that is not said yet.
void tell_no_result(Point& point);

/// What the dollars of a bill are for, and what they leave out, as a sentence.
std::string dollars_cover(const Bill& bill);

} // namespace alxsim::report
