// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_choice.h"

#include "base/input_error.h"
#include "base/work/debug_log.h"
#include "base/work/stop.h"
#include "model/collectives/mesh.h"
#include "model/collectives/replays/routed_network.h"
#include "model/graph/collective_json.h"
#include "model/schedules/one_ring.h"
#include "model/schedules/routed_schedule.h"
#include "model/schedules/schedule_families.h"
#include "model/schedules/sized_schedules.h"
#include "model/schedules/xla_schedule.h"

#include <algorithm>

namespace alxsim::model {
namespace {

void check_algorithm(const ScheduleRequest& request)
{
    const Collective& collective = request.collective;
    const ScheduleOptions& options = collective.schedule;
    const bool routed = request.is_routed();
    const char* const place = "collective/schedule/algorithm";
    if (options.algorithm == ScheduleAlgorithm::axes && routed) {
        const std::string why =
            collective.messages ? "a collective with messages" : "an all_to_all on a twisted slice";
        throw InputError("", place, "found axes for " + why + "; allowed: routed");
    }
    if (options.algorithm == ScheduleAlgorithm::routed && !routed) {
        throw InputError("", place,
                         "found routed; allowed: axes, unless the collective is an all_to_all or "
                         "has messages");
    }
    if (routed && (options.colours != 0 || options.directions != 0)) {
        throw InputError("", "collective/schedule",
                         "found colours or directions for a routed collective; allowed: none, "
                         "every message goes its own way");
    }
    if (collective.messages && !collective.after && collective.kind != CollectiveKind::all_to_all &&
        collective.kind != CollectiveKind::permute) {
        throw InputError("", "collective/messages",
                         "found messages; allowed: for all_to_all and permute only, unless they "
                         "have an order");
    }
}

void check_colours_and_directions(const Collective& collective, const CollectiveGroup& group,
                                  const topologies::Machine& machine)
{
    const ScheduleOptions& options = collective.schedule;
    if (collective.kind == CollectiveKind::permute &&
        (options.colours != 0 || options.directions == 1)) {
        throw InputError("", "collective/schedule",
                         "found " +
                             (options.colours != 0
                                  ? "colours " + std::to_string(options.colours)
                                  : "directions " + std::to_string(options.directions)) +
                             " for a permute; allowed: none, or directions 2 (one half to the "
                             "next, one to the one before)");
    }
    const int most = std::max(1, static_cast<int>(group.ici_axes().size()));
    const auto on_slice = [&] { return " on a slice of " + machine.slice.shape() + " chips"; };
    if (options.colours < 0 || options.colours > most) {
        throw InputError("", "collective/schedule/colours",
                         "found " + std::to_string(options.colours) + on_slice() + "; allowed: 1" +
                             (most > 1 ? " to " + std::to_string(most) : "") +
                             ", the number of torus axes of a group");
    }
    if (options.directions < 0 || options.directions > 2) {
        throw InputError("", "collective/schedule/directions",
                         "found " + std::to_string(options.directions) + "; allowed: 1, 2");
    }
    if (options.directions == 1 && !group.wraps()) {
        throw InputError("", "collective/schedule/directions",
                         "found 1" + on_slice() +
                             ", of which an axis does not wrap; allowed: 2, since on a line some "
                             "must send up and some down");
    }
}

using Candidates = std::vector<std::shared_ptr<CollectiveSchedule>>;

Candidates shared(std::vector<CollectiveSchedule> schedules)
{
    Candidates candidates;
    for (CollectiveSchedule& candidate : schedules) {
        candidates.push_back(std::make_shared<CollectiveSchedule>(std::move(candidate)));
    }
    return candidates;
}

Candidates candidates_of(const Collective& collective, const topologies::Machine& machine,
                         ScheduleTimes times)
{
    return shared(candidate_schedules(collective, machine, times));
}

/// Replays the quickest in closed form of schedules whose messages a network carries packet by
/// packet, which takes long to replay.
TimedSchedule quickest_of_lists(const Candidates& candidates, bool exact)
{
    TimedSchedule best;
    for (const std::shared_ptr<CollectiveSchedule>& candidate : candidates) {
        const Picoseconds time = closed_form_time(*candidate);
        if (best.schedule == nullptr || time < best.time) {
            best = {candidate, time};
        }
    }
    best.time = exact ? schedule_time(*best.schedule) : best.time;
    return best;
}

/// The quickest; of equally quick ones the first.
TimedSchedule quickest(const Candidates& candidates, ScheduleTimes times)
{
    if (candidates.front()->has_rank_network()) {
        return quickest_of_lists(candidates, times == ScheduleTimes::exact);
    }
    TimedSchedule best;
    const bool exact = times == ScheduleTimes::exact;
    for (const std::shared_ptr<CollectiveSchedule>& candidate : candidates) {
        look_for_stop();
        if (!exact || best.schedule == nullptr || busiest_link_time(*candidate) < best.time) {
            const Picoseconds time =
                exact ? schedule_time(*candidate) : closed_form_time(*candidate);
            if (best.schedule == nullptr || time < best.time) {
                best = {candidate, time};
            }
        }
    }
    return best;
}

/// On a ring through the chips along axes of the network, at their rates.
bool is_on_one_ring(const CollectiveSchedule& schedule)
{
    return schedule.ranks && !schedule.ranks->along.empty() && !schedule.has_rank_network() &&
           schedule.axes.size() == 1 && schedule.axes.front().torus_axis == NetworkAxis::ranks;
}

/// Whether schedules know of the network's rates and latencies by their axes alone. Two parts one
/// after the other may be the quickest_parts() on one network alone.
bool go_by_axes(const Candidates& candidates, ScheduleTimes times)
{
    const bool exact = times == ScheduleTimes::exact;
    return std::all_of(candidates.begin(), candidates.end(), [exact](const auto& one) {
        const bool is_of_one_network = exact && (one->has_rank_network() || one->then > 0);
        return one->messages.empty() && !is_of_one_network &&
               (is_on_one_ring(*one) ||
                std::none_of(one->group.begin(), one->group.end(), [&](int axis) {
                    return one->axes[static_cast<std::size_t>(axis)].torus_axis ==
                           NetworkAxis::ranks;
                }));
    });
}

/// Whether schedules are built alike on both: rates and latencies may differ, but not in which axes
/// have the same ones, by which orders of axes are told apart.
bool built_alike(const std::vector<NetworkAxis>& some, const std::vector<NetworkAxis>& others)
{
    if (some.size() != others.size()) {
        return false;
    }
    const auto same_rates = [](const NetworkAxis& a, const NetworkAxis& b) {
        return a.bytes_per_second == b.bytes_per_second && a.latency == b.latency;
    };
    for (std::size_t i = 0; i < some.size(); ++i) {
        const NetworkAxis& a = some[i];
        const NetworkAxis& b = others[i];
        NetworkAxis at_rates_of_b = a;
        at_rates_of_b.bytes_per_second = b.bytes_per_second;
        at_rates_of_b.latency = b.latency;
        if (!(at_rates_of_b == b)) {
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (same_rates(a, some[j]) != same_rates(b, others[j])) {
                return false;
            }
        }
    }
    return true;
}

/// Whether it runs what the TPU compiler takes, if that is known.
bool asks_for_xla(const Collective& collective, const topologies::Machine& machine)
{
    const ScheduleOptions& options = collective.schedule;
    return options.choice.value_or(machine.schedule) == topologies::ScheduleChoice::xla &&
           options.asks_for_nothing() && !collective.messages && !collective.listed;
}

std::vector<CollectiveSchedule> candidates_of_families(const ScheduleRequest& request,
                                                       ScheduleTimes times)
{
    std::vector<CollectiveSchedule> candidates;
    for (const ScheduleFamily& family : schedule_families()) {
        const bool judged = !family.to_be_played || times == ScheduleTimes::exact;
        if (judged && family.applies(request)) {
            for (CollectiveSchedule& schedule : family.schedules(request)) {
                candidates.push_back(std::move(schedule));
            }
        }
    }
    return candidates;
}

/// The quickest reduce-scatter, then the quickest all-gather: so that an all-reduce, and what one
/// with zeros stands for, is no slower than both.
std::optional<CollectiveSchedule> quickest_parts(const ScheduleRequest& request)
{
    Collective part = request.collective;
    part.root = 0;
    part.schedule.choice = topologies::ScheduleChoice::fastest;
    const auto quickest_of = [&](CollectiveKind kind) {
        part.kind = kind;
        return quickest_in(part, *request.group, request.machine, ScheduleTimes::exact);
    };
    const TimedSchedule scatter = quickest_of(CollectiveKind::reduce_scatter);
    const TimedSchedule gather = quickest_of(CollectiveKind::all_gather);
    std::optional<CollectiveSchedule> both =
        one_after_the_other(*scatter.schedule, *gather.schedule);
    if (both) {
        both->kind = request.collective.kind;
        both->name = zeros_in_words(both->kind) + both->name;
        both->algorithm = {};
    }
    return both;
}

/// The families' and, where an all-reduce may be played, its quickest parts.
std::vector<CollectiveSchedule> fastest_candidates(const ScheduleRequest& request,
                                                   ScheduleTimes times)
{
    std::vector<CollectiveSchedule> candidates = candidates_of_families(request, times);
    const Collective& collective = request.collective;
    const bool reduces = collective.kind == CollectiveKind::all_reduce || has_root(collective.kind);
    if (reduces && times == ScheduleTimes::exact && collective.schedule.asks_for_nothing() &&
        !collective.messages && !collective.ranks) {
        if (std::optional<CollectiveSchedule> both = quickest_parts(request)) {
            candidates.push_back(std::move(*both));
        }
    }
    return candidates;
}

/// What the compiler takes; where it does not say how its messages go, all that may stand for it.
std::vector<CollectiveSchedule> candidates_of_xla(const ScheduleRequest& request,
                                                  const XlaChoice& choice, ScheduleTimes times)
{
    if (std::optional<CollectiveSchedule> schedule = xla_schedule(request, choice)) {
        return {std::move(*schedule)};
    }
    std::vector<CollectiveSchedule> candidates = fastest_candidates(request, times);
    for (CollectiveSchedule& candidate : candidates) {
        candidate.algorithm = choice.algorithm;
        candidate.name = xla_name(choice) + "; timed as " + candidate.name;
    }
    return candidates;
}

std::vector<CollectiveSchedule> candidates_for(const ScheduleRequest& request, ScheduleTimes times)
{
    const Collective& collective = request.collective;
    check_algorithm(request);
    check_colours_and_directions(collective, *request.group, request.machine);
    if (request.group->devices == 1) {
        if (collective.messages) { // which may be between others
            routed_schedule(collective, *request.group, request.machine);
        }
        return {nothing_to_do(collective, *request.group)};
    }
    if (asks_for_xla(collective, request.machine)) {
        if (const auto choice = xla_choice(collective, *request.group, request.machine)) {
            return candidates_of_xla(request, *choice, times);
        }
    }
    return fastest_candidates(request, times);
}

/// Where the devices of the lists stand in their boxes.
std::shared_ptr<const RankGroups> ranks_in_boxes(const Collective& collective, const GroupBox& box,
                                                 const topologies::Machine& machine)
{
    auto ranks = std::make_shared<RankGroups>();
    ranks->groups = *collective.ranks;
    ranks->strides = strides_of(box, machine);
    ranks->along = network_axes_of(box, machine);
    if (!box.is_dense()) { // their messages meet on links
        ranks->network = std::make_shared<const RoutedNetwork>(machine);
        ranks->strides.push_back(0);
    }
    return ranks;
}

std::vector<CollectiveSchedule> candidates_in_boxes(const Collective& collective,
                                                    const GroupBox& box,
                                                    const topologies::Machine& machine,
                                                    ScheduleTimes times)
{
    // Lists whose messages meet on links are chosen by quickest_of_lists().
    const bool by_closed_form = !box.is_dense() && times == ScheduleTimes::exact;
    std::vector<CollectiveSchedule> candidates = candidates_for(
        {collective, machine, group_of(box, collective.root, machine), by_closed_form}, times);
    const auto ranks = ranks_in_boxes(collective, box, machine);
    NetworkAxis groups;
    groups.torus_axis = NetworkAxis::ranks;
    groups.length = static_cast<int>(collective.ranks->size());
    for (CollectiveSchedule& candidate : candidates) {
        if (candidate.messages.empty() && !candidate.ranks) {
            candidate.ranks = ranks;
            if (ranks->network) {
                candidate.axes.push_back(groups);
            }
        }
    }
    return candidates;
}

/// The same axis with rates and latencies of `network`.
NetworkAxis on_other(const NetworkAxis& axis, const std::vector<NetworkAxis>& network,
                     const topologies::Machine& machine)
{
    if (axis.torus_axis == NetworkAxis::ranks) {
        return axis;
    }
    const auto whole = std::find_if(network.begin(), network.end(), [&](const NetworkAxis& one) {
        return one.torus_axis == axis.torus_axis;
    });
    if (axis.torus_axis == NetworkAxis::on_chip) {
        return *whole;
    }
    return part_of(*whole, {axis.torus_axis, axis.length, axis.hops, axis.sharing, axis.wraps},
                   machine);
}

void log_choice(const Collective& collective, const TimedSchedule& best, std::size_t candidates)
{
    debug_log(DebugRoom::schedules, [&] {
        return name_of(collective.kind) + " of " + std::to_string(collective.bytes.count()) +
               " bytes: " + best.schedule->name + ", " + std::to_string(best.time.count()) +
               " ps, of " + std::to_string(candidates) + " candidates";
    });
}

} // namespace

std::vector<CollectiveSchedule> candidate_schedules(const Collective& asked,
                                                    const topologies::Machine& machine,
                                                    ScheduleTimes times)
{
    const Collective collective = on_network(asked, machine);
    if (!collective.ranks) {
        return candidates_in(collective, group_of(collective, machine), machine, times);
    }
    if (const std::optional<GroupBox> box = box_of_ranks(collective, machine)) {
        return candidates_in_boxes(collective, *box, machine, times);
    }
    return candidates_of_families({collective, machine, std::nullopt}, times);
}

std::vector<CollectiveSchedule> candidates_in(const Collective& collective,
                                              const CollectiveGroup& group,
                                              const topologies::Machine& machine,
                                              ScheduleTimes times)
{
    return candidates_for({collective, machine, group}, times);
}

TimedSchedule quickest_in(const Collective& collective, const CollectiveGroup& group,
                          const topologies::Machine& machine, ScheduleTimes times)
{
    const bool by_closed_form = times == ScheduleTimes::closed_form;
    return quickest(shared(candidates_for({collective, machine, group, by_closed_form}, times)),
                    times);
}

CollectiveSchedule make_schedule(const Collective& collective, const topologies::Machine& machine)
{
    return *quickest(candidates_of(collective, machine, ScheduleTimes::exact), ScheduleTimes::exact)
                .schedule;
}

TimedSchedule ScheduleBook::sized(const Collective& collective)
{
    if (times_ != ScheduleTimes::closed_form || collective.ranks || collective.mesh ||
        !asks_for_xla(collective, *machine_)) {
        return {};
    }
    auto found = std::find_if(sized_.begin(), sized_.end(), [&collective](const auto& one) {
        return one->speaks_of(collective);
    });
    if (found == sized_.end()) {
        if (sized_.size() >= most_sized) {
            return {};
        }
        found = sized_.insert(found, std::make_shared<SizedSchedules>(collective, *machine_));
    }
    const std::int64_t before = (*found)->phases_built();
    const std::int64_t timed = (*found)->timed();
    TimedSchedule best = (*found)->schedule(collective.bytes, *machine_);
    phases_built_ += (*found)->phases_built() - before;
    if (best.schedule && (*found)->timed() > timed) {
        log_choice(collective, best, 1);
    }
    return best;
}

TimedSchedule ScheduleBook::best(const Collective& collective)
{
    if (TimedSchedule best = sized(collective); best.schedule) {
        return best;
    }
    std::vector<std::string> axes = collective.group;
    std::sort(axes.begin(), axes.end());
    std::vector<int> ranks;
    if (collective.ranks) {
        for (const std::vector<int>& members : *collective.ranks) {
            ranks.push_back(-1);
            ranks.insert(ranks.end(), members.begin(), members.end());
        }
    }
    const Key key{collective.kind,
                  collective.bytes.count(),
                  collective.schedule.colours,
                  collective.schedule.directions,
                  collective.schedule.algorithm,
                  collective.schedule.choice,
                  collective.dtype,
                  axes,
                  ranks,
                  collective.across_chips,
                  collective.root,
                  collective.listed,
                  collective.messages,
                  collective.after,
                  collective.mesh};
    if (collective.messages) {
        return with_messages(key, collective);
    }
    const auto found = chosen_.find(key);
    if (found != chosen_.end() && found->second.network == networks_) {
        return found->second.best;
    }
    if (found == chosen_.end() && chosen_.size() >= most_without_messages) {
        chosen_.clear();
    }
    Choice& choice = chosen_[key];
    choose_again(collective, choice);
    return choice.best;
}

Candidates ScheduleBook::built_for(const Collective& collective)
{
    Candidates candidates = candidates_of(collective, *machine_, times_);
    for (const auto& candidate : candidates) {
        for (const Colour& colour : candidate->colours) {
            phases_built_ += static_cast<std::int64_t>(colour.phases.size());
        }
    }
    return candidates;
}

/// Its axes on the network as it is now.
std::vector<NetworkAxis> ScheduleBook::axes_of(const CollectiveSchedule& candidate) const
{
    if (!candidate.ranks) {
        return axes_;
    }
    std::vector<NetworkAxis> axes = candidate.axes;
    if (is_on_one_ring(candidate)) {
        axes.front() = ring_axis(axes.front(), candidate.ranks->along, axes_,
                                 candidate.colours.front().phases.front().shard);
        return axes;
    }
    for (NetworkAxis& axis : axes) {
        axis = on_other(axis, axes_, *machine_);
    }
    return axes;
}

/// Whether they would be built again as they are. Parts of axes that are alike may be apart: by the
/// wire's share of their latencies, of which a part pays more that others' devices lie between.
bool ScheduleBook::set_to_network(const Candidates& candidates) const
{
    for (const std::shared_ptr<CollectiveSchedule>& candidate : candidates) {
        std::vector<NetworkAxis> axes = axes_of(*candidate);
        if (candidate->ranks && !built_alike(candidate->axes, axes)) {
            return false;
        }
        candidate->axes = std::move(axes);
    }
    return !candidates.empty();
}

void ScheduleBook::choose_again(const Collective& collective, Choice& choice)
{
    if (!set_to_network(choice.candidates)) {
        choice.candidates = built_for(collective);
    }
    choice.best = quickest(choice.candidates, times_);
    log_choice(collective, choice.best, choice.candidates.size());
    choice.network = networks_;
    if (!go_by_axes(choice.candidates, times_)) {
        choice.candidates.clear();
    }
}

void ScheduleBook::use(const topologies::Machine& machine)
{
    std::vector<NetworkAxis> axes = network_axes(machine);
    const bool others = twisted_ != machine.slice.twisted() || choice_ != machine.schedule ||
                        chip_ != machine.preset.name() || link_faults_ != machine.faults.links;
    if (others || !built_alike(axes_, axes)) {
        chosen_.clear();
    }
    if (others || !planned_alike(axes_, axes)) {
        sized_.clear();
    }
    for (const std::shared_ptr<SizedSchedules>& one : sized_) {
        one->use(axes);
    }
    const NetworkNumbers numbers = network_numbers(machine.network);
    if (others || axes != axes_ || devices_per_chip_ != machine.devices_per_chip ||
        numbers != numbers_) {
        ++networks_;
        for (auto choice = chosen_.begin(); choice != chosen_.end();) {
            const bool goes_by_axes = !choice->second.candidates.empty();
            choice = goes_by_axes ? std::next(choice) : chosen_.erase(choice);
        }
        recent_.clear();
        recent_messages_ = 0;
    }
    numbers_ = numbers;
    devices_per_chip_ = machine.devices_per_chip;
    axes_ = std::move(axes);
    twisted_ = machine.slice.twisted();
    choice_ = machine.schedule;
    chip_ = machine.preset.name();
    link_faults_ = machine.faults.links;
    machine_ = &machine;
}

TimedSchedule ScheduleBook::with_messages(const Key& key, const Collective& collective)
{
    const auto found = std::find_if(recent_.begin(), recent_.end(),
                                    [&key](const auto& known) { return known.first == key; });
    if (found != recent_.end()) {
        return found->second;
    }
    constexpr std::size_t most_with_messages = 64; // looked through one by one
    TimedSchedule best = quickest(built_for(collective), times_);
    recent_messages_ += collective.messages->size();
    while (recent_.size() >= most_with_messages ||
           (recent_.size() >= fewest_with_messages && recent_messages_ > most_messages)) {
        const Key& oldest = recent_.front().first;
        recent_messages_ -=
            std::get<std::shared_ptr<const std::vector<PairMessage>>>(oldest)->size();
        recent_.pop_front();
    }
    recent_.emplace_back(key, best);
    return best;
}

} // namespace alxsim::model
