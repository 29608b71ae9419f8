// SPDX-License-Identifier: Apache-2.0
#include "experiments/point_notes.h"

#include "experiments/registration/workloads.h"
#include "report/words.h"
#include "topologies/override_notes.h"

#include <set>

namespace alxsim::experiments {

std::vector<std::string> notes_of(const topologies::Machine& machine, bool analytic)
{
    std::vector<std::string> notes = topologies::override_notes(machine);
    const topologies::FaultPlan& faults = machine.faults;
    if (analytic && (!faults.links.empty() || !faults.device_speed.empty())) {
        notes.push_back("with faults the analytic model lets every op take as long as on the "
                        "slowest core or link, so that its epochs are up to " +
                        report::percent_in_words(analytic_excess_with_faults) +
                        " longer than those of SystemC (measured on cases of this program's "
                        "tests); fidelities sampled and detailed do not do that");
    }
    return notes;
}

std::vector<std::string> notes_of(const PointStudy& study)
{
    const workloads::Kind& kind = workload_kinds().kind_of(study.document, study.file);
    if (study.numerics && kind.has_numbers && kind.notes) {
        return kind.notes(study.document);
    }
    if (!study.numerics || kind.has_numbers) {
        return {};
    }
    return {"\"numerics\": true changes nothing: an " + kind.name +
            " has no numbers to compute and is timed alone"};
}

std::string notes_in_lines(const std::vector<report::Point>& points)
{
    std::string lines;
    std::set<std::string> told;
    for (const report::Point& point : points) {
        for (const std::string& note : point.notes) {
            if (told.insert(note).second) {
                lines += "note: " + note + "\n";
            }
        }
    }
    return lines;
}

} // namespace alxsim::experiments
