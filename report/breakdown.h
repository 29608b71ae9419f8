// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "base/time_share.h"

#include <array>
#include <optional>
#include <string>

namespace alxsim::report {

/// What an interval's waiting is for. Adds up to the share.
struct Waiting {
    double bubble = 0;
    double straggler = 0;
    double late_peer = 0;
};

template <class Fields>
void list_fields(Fields& fields, Waiting& waiting)
{
    fields("bubble", waiting.bubble,
           "A role has nothing to do until another one sends, or until the others are done: the "
           "mean over all devices.",
           limits::amount);
    fields("straggler", waiting.straggler,
           "The slowest device computes longer than the median one: step_skew_devices, "
           "step_skew_slices and slow chips.",
           limits::amount);
    fields("late_peer", waiting.late_peer,
           "In a collective of several roles, the last member has not come: the mean over all "
           "devices.",
           limits::amount);
}

/// Seconds of an interval in which collectives along some axes are under way.
struct AxisSeconds {
    double total = 0;
    double exposed = 0;
    double alone = 0;
};

template <class Fields>
void list_fields(Fields& fields, AxisSeconds& seconds)
{
    fields("total", seconds.total,
           "In which one is under way on a device, hidden or not: the mean over all devices.",
           limits::amount);
    fields("exposed", seconds.exposed,
           "On the critical path: what the interval waits for. Those of all axes add up to "
           "communication_seconds.",
           limits::amount);
    fields("alone", seconds.alone,
           "Of the total, in which the device computes nothing. Where two are under way at once, "
           "it counts for both.",
           limits::amount);
}

/// What people call the time in which single rows are issued to the memory.
constexpr const char* row_issue = "row issue";

/// Seconds of an interval, split twice: by phase (what the algorithm was doing) and by share (what
/// held it up). Each split adds up to `seconds`.
struct Breakdown {
    double seconds = 0;
    Named<double> phases;
    std::array<double, share_count> shares{};
    /// Part of the share of HBM; absent: no rows are issued, or a report of an earlier version.
    std::optional<double> row_issue;
    std::optional<Waiting> waiting; ///< absent: it does not wait, or a report of an earlier version
    Named<AxisSeconds> communication; ///< by axes; empty: likewise

    /// 0 of a phase that it does not have.
    double phase(const std::string& name) const;
    double& share(Share which) { return shares[static_cast<std::size_t>(which)]; }
    double share(Share which) const { return shares[static_cast<std::size_t>(which)]; }
};

/// The shares, those apart that people know by names of their own: row issue, which is no
/// bandwidth, and what is waited for (bubble, straggler, late peer). They add up to the seconds.
Named<double> resources_of(const Breakdown& epoch);

/// The name under which a report has a share: "communication_seconds".
inline std::string field_of(Share share)
{
    return std::string(name_of(share)) + "_seconds";
}

/// Its splits; the whole is a field of its owner.
/// What the field of a share says, but for waiting.
inline const char* meaning_of(Share share)
{
    return share == Share::compute ? "What waits for the MXU or the vector unit."
           : share == Share::hbm   ? "What waits for HBM: its bandwidth, and the issue of single "
                                     "rows (row_issue_seconds)."
           : share == Share::communication
               ? "What waits for collectives whose members have all arrived."
           : share == Share::host ? "What waits for the host, and for what goes on below HBM."
                                  : "What waits for nothing that can be named.";
}

template <class Fields>
void list_fields(Fields& fields, Breakdown& breakdown)
{
    fields("phases", breakdown.phases,
           "Seconds by what the job was doing; they add up to the time.", limits::amount);
    for (const Share share : all_shares) {
        if (share == Share::waiting) {
            fields.newer(field_of(share).c_str(), breakdown.share(share),
                         "What a device waits for others: see waiting.", limits::amount);
        } else {
            fields(field_of(share).c_str(), breakdown.share(share), meaning_of(share),
                   limits::amount);
        }
    }
    fields("row_issue_seconds", breakdown.row_issue,
           "Of hbm_seconds, what gathers and scatters take to issue single rows, whatever the "
           "bandwidth; the rest is bandwidth. Parted as the closed forms of the ops are. No field "
           "where no rows are issued.",
           limits::amount);
    fields("waiting", breakdown.waiting, "What waiting_seconds are made of. No field without.");
    fields.unless_empty(
        "communication", breakdown.communication,
        "By the axes that collectives are along: of the mesh where they name some, else of the "
        "network (x+y: of both at once; chip: between the devices of a chip). dcn, or +dcn behind "
        "axes of a mesh: across slices.");
}

} // namespace alxsim::report
