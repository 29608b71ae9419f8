// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"
#include "report/files.h"
#include "report/report.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// A study of which all points are settled.
struct StudyRun {
    Study study;
    std::vector<PointSpec> points;
    std::vector<report::Assumption> assumptions;
    std::vector<PointResult> results; ///< one for each point
    std::optional<report::SearchOutcome> search;
    report::Host host;
    /// What to do about it.
    std::string if_inputs_differ = "it changed while the study ran: run it again with --resume, "
                                   "which computes anew what saw the other";
};

/// Counts from when it is made.
class RunClock {
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What no source settles in the presets of the points' machines; each is told once. Throws
/// InputError where no point has a machine that can be made.
std::vector<report::Assumption> assumptions_of(const std::vector<PointSpec>& points);

/// The report of a run: takes its results' figures, but not what it says of failures. `folder`:
/// where the report will stand.
report::Report report_of_run(StudyRun& run, const std::string& folder);

/// Writes report.json, report.html and points.csv to the disk.
void write_report(const report::Report& report, const std::string& folder,
                  report::Form form = report::Form::full);

/// Where the files of a report go, and what is said of it.
struct ReportRequest {
    std::string folder;
    bool quiet = false;      ///< without the points' notes
    bool strict = false;     ///< a refuted hypothesis counts
    bool all_needed = false; ///< so does a point without a time
    report::Form form = report::Form::full;
};

/// Writes report.json, report.html and points.csv to the disk; says what was found and, on stderr,
/// which points failed and why. The exit code.
int report_run(StudyRun run, const ReportRequest& request);

/// Which points of a run failed and why, the first ones by name; "" and 0: none.
struct Failures {
    std::string words;
    int exit_code = 0;
};
Failures failures_of(const std::vector<PointSpec>& points, const std::vector<PointResult>& results);

/// Makes the folder. Throws InputError, naming `option`, where it cannot.
void make_folder(const std::string& folder, const std::string& option);

} // namespace alxsim::program
