// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/member_times.h"

#include "model/collectives/phase_plan.h"

#include <algorithm>
#include <map>

namespace alxsim::model {
namespace {

constexpr Picoseconds has_all{-1};
constexpr int nobody = -1;

/// Whether all chunks go by the same tree.
bool one_tree(const CollectiveSchedule& schedule)
{
    const auto same_axes = [&schedule](const Colour& colour) {
        const std::vector<AxisPhase>& first = schedule.colours.front().phases;
        return std::equal(colour.phases.begin(), colour.phases.end(), first.begin(), first.end(),
                          [](const AxisPhase& a, const AxisPhase& b) {
                              return a.axis == b.axis && a.downwards == b.downwards;
                          });
    };
    return schedule.colours_are_chunks() && !schedule.ranks &&
           std::all_of(schedule.colours.begin(), schedule.colours.end(), same_axes);
}

} // namespace

MemberPlan::MemberPlan(const CollectiveSchedule& schedule, const Places& places, Picoseconds time)
    : alone(time)
{
    if (one_tree(schedule)) {
        plan_tree(schedule, places);
    } else {
        plan_groups(schedule, places);
    }
}

void MemberPlan::plan_groups(const CollectiveSchedule& schedule, const Places& places)
{
    std::map<std::vector<int>, int> numbers; // by the positions that the members share
    for (int place = 0; place < places.count(); ++place) {
        std::vector<int> shared; // of ranks nothing: whoever they are, they wait for all
        for (int axis = 0; !schedule.ranks && axis < static_cast<int>(schedule.axes.size());
             ++axis) {
            const bool spans = std::find(schedule.group.begin(), schedule.group.end(), axis) !=
                               schedule.group.end();
            shared.push_back(spans ? 0 : places.position(axis, place));
        }
        const int next = static_cast<int>(numbers.size());
        group_of.push_back(numbers.emplace(std::move(shared), next).first->second);
        group_size.resize(numbers.size());
        ++group_size[static_cast<std::size_t>(group_of.back())];
    }
}

void MemberPlan::plan_tree(const CollectiveSchedule& schedule, const Places& places)
{
    chunks = static_cast<std::int64_t>(schedule.colours.size());
    std::vector<PhasePlan> phases = std::move(plan_phases(schedule).front());
    to_root = phases.front().exchange == Exchange::collect;
    if (to_root) {
        std::reverse(phases.begin(), phases.end());
    }
    const auto members = static_cast<std::size_t>(places.count());
    parent.assign(members, nobody);
    children.resize(members);
    link.resize(members);
    for (int member = 0; member < places.count(); ++member) {
        for (const PhasePlan& phase : phases) { // the last that it takes part in away from its root
            const int position = places.position(phase.axis, member);
            if (position == phase.origin) {
                continue;
            }
            const bool gets_up =
                to_root ? phase.sends(position, down) > 0 : phase.receives(position, up) > 0;
            const auto which = static_cast<std::size_t>(member);
            parent[which] = places.neighbour(phase.axis, member, gets_up ? down : up);
            link[which] = {phase.serialization.front() *
                               senders_on_a_link(schedule, phase.axis, phase.only_at),
                           phase.latency};
        }
        if (const int above = parent[static_cast<std::size_t>(member)]; above != nobody) {
            children[static_cast<std::size_t>(above)].push_back(member);
        }
    }
}

MemberTimes::MemberTimes(const MemberPlan& plan) : plan_(plan), entered_(plan.group_size.size())
{
    members_.resize(plan.rooted() ? plan.parent.size() : plan.group_of.size());
    for (std::size_t member = 0; plan.to_root && member < members_.size(); ++member) {
        members_[member].missing = static_cast<int>(plan.children[member].size());
    }
}

void MemberTimes::enter(int member, Picoseconds ready, std::vector<MemberDone>& done)
{
    at(member).ready = ready;
    at(member).entered = true;
    if (!plan_.rooted()) {
        enter_group(member, ready, done);
    } else if (plan_.to_root) {
        resolve_to_root(member, done);
    } else {
        const int above = plan_.parent[static_cast<std::size_t>(member)];
        if (above == nobody || at(above).known) {
            resolve_from_root(member, done);
        }
    }
}

void MemberTimes::enter_group(int member, Picoseconds ready, std::vector<MemberDone>& done)
{
    const auto group = static_cast<std::size_t>(plan_.group_of[static_cast<std::size_t>(member)]);
    std::vector<int>& here = entered_[group];
    here.push_back(member);
    if (static_cast<int>(here.size()) < plan_.group_size[group]) {
        return;
    }
    for (const int each : here) {
        if (at(each).ready > ready) { // launches may differ
            member = each;
            ready = at(each).ready;
        }
    }
    for (const int each : here) {
        done.push_back({each, ready + plan_.alone, member});
    }
}

/// What `sender` puts on a link, of what it gets by `got` (has_all: nothing is missing).
MemberTimes::Passing MemberTimes::passed_on(int sender, const MemberPlan::LinkToParent& link,
                                            const Passing& got) const
{
    const Picoseconds ready = at(sender).ready;
    const bool late = ready >= got.first;
    const Picoseconds start = late ? ready : got.first;
    const int cause = late ? sender : got.first_cause;
    const Picoseconds hop = link.chunk + link.latency;
    Passing passed{start + hop, start + link.chunk * plan_.chunks + link.latency, cause, cause};
    if (got.last != has_all && got.last + hop > passed.last) {
        passed.last = got.last + hop;
        passed.last_cause = got.last_cause;
    }
    return passed;
}

/// All on the way from the root to `member` have entered.
void MemberTimes::resolve_from_root(int member, std::vector<MemberDone>& done)
{
    const auto which = static_cast<std::size_t>(member);
    const bool root = plan_.parent[which] == nobody;
    const Passing nothing{has_all, has_all, member, member};
    const Passing got = root ? nothing : at(member).passing;
    MemberDone result{member, at(member).ready, member};
    const auto wait_for = [&result](const Passing& passing) {
        if (passing.last > result.time) {
            result.time = passing.last;
            result.cause = passing.last_cause;
        }
    };
    wait_for(got);
    for (const int child : plan_.children[which]) {
        at(child).passing = passed_on(member, plan_.link[static_cast<std::size_t>(child)], got);
        wait_for(at(child).passing);
    }
    at(member).known = true;
    done.push_back(result);
    for (const int child : plan_.children[which]) {
        if (at(child).entered) {
            resolve_from_root(child, done);
        }
    }
}

/// If all that send to `member` have entered, and it has.
void MemberTimes::resolve_to_root(int member, std::vector<MemberDone>& done)
{
    const auto which = static_cast<std::size_t>(member);
    if (!at(member).entered || at(member).missing > 0) {
        return;
    }
    Passing got{has_all, has_all, member, member};
    for (const int child : plan_.children[which]) {
        const Passing& other = at(child).passing;
        if (other.first > got.first) {
            got.first = other.first;
            got.first_cause = other.first_cause;
        }
        if (other.last > got.last) {
            got.last = other.last;
            got.last_cause = other.last_cause;
        }
    }
    const int above = plan_.parent[which];
    if (above == nobody) {
        const bool late = at(member).ready >= got.last;
        done.push_back(
            {member, late ? at(member).ready : got.last, late ? member : got.last_cause});
        return;
    }
    at(member).passing = passed_on(member, plan_.link[which], got);
    done.push_back({member, at(member).passing.last, at(member).passing.last_cause});
    --at(above).missing;
    resolve_to_root(above, done);
}

} // namespace alxsim::model
