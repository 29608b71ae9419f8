// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "experiments/points/trace/trace_request.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What a process is to run: a line of JSON on its stdin. It answers with lines on stdout, each a
/// word and what follows it: `predicted SECONDS` of the host's CPUs where that is more than
/// moments, any number of `progress SHARE`, `doing WORDS` and `tell WORDS`, perhaps `leaving` (it
/// takes no point after this one), then `result POINT`, or `refused WHY` for bad input. The end of
/// its stdin ends it. Whatever else ends it costs the point that it had not answered.
struct PointTask {
    Json study;
    std::string file;
    int threads = 1;
    std::string export_folder;
    TraceRequest trace;
    std::string checkpoint;
    std::string hbm_rates; ///< the file of them; "" for none
    bool resume = false;
    /// What `file` may name; absent: any file.
    std::optional<std::vector<std::string>> only_files = std::nullopt;
};

template <class Fields>
void list_fields(Fields& fields, PointTask& task)
{
    fields("study", task.study);
    fields("file", task.file);
    fields("threads", task.threads);
    fields("export", task.export_folder);
    fields("trace", task.trace);
    fields("checkpoint", task.checkpoint);
    fields("hbm_rates", task.hbm_rates);
    fields("resume", task.resume);
    fields("only_files", task.only_files);
}

} // namespace alxsim::experiments
