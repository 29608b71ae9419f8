// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/like_report.h"

#include "base/input_error.h"
#include "experiments/answers/advise/space.h"
#include "report/report.h"
#include "workloads/registry.h"

#include <algorithm>
#include <optional>

namespace alxsim::experiments {
namespace {

/// What a finished point counted; nothing where it counted nothing of the kind.
std::optional<workloads::Counted> counted_by(const report::Point& point, const PointStudy& finished,
                                             const PointStudy& studied)
{
    const workloads::Kind& kind = workloads::registry().kind_of(studied.document, studied.file);
    const bool alike =
        &kind == &workloads::registry().kind_of(finished.document, finished.file) && kind.counted;
    if (!alike || !point.result || !point.result->counters.is_object()) {
        return std::nullopt;
    }
    return kind.counted(studied.document, finished.document, point.result->counters);
}

} // namespace

workloads::Counted counts_of_report(const std::string& path, const Study& study,
                                    const std::string& series)
{
    const report::Report report = report::load_report(path);
    const PointStudy studied = studied_plan(study, series);
    const std::vector<PointSpec> specs = expand(study_of(report.study, path));
    std::optional<workloads::Counted> counted;
    std::string why_not;
    for (std::size_t i = 0; i < std::min(specs.size(), report.points.size()); ++i) {
        const bool on_as_many = specs[i].study.machine.cores == studied.machine.cores;
        if (counted && !on_as_many) {
            continue;
        }
        try {
            std::optional<workloads::Counted> of_point =
                counted_by(report.points[i], specs[i].study, studied);
            if (of_point) {
                counted = std::move(of_point);
            }
        } catch (const InputError& error) {
            why_not = error.what();
        }
        if (counted && on_as_many) {
            break;
        }
    }
    if (!counted && !why_not.empty()) {
        throw InputError(path, "", why_not);
    }
    if (!counted) {
        throw InputError(path, "/points",
                         "has no point that counted what the study assumes; allowed: the report "
                         "of a run with \"numerics\": true of the same job");
    }
    return *counted;
}

} // namespace alxsim::experiments
