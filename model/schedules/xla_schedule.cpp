// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/xla_schedule.h"

#include "model/schedules/one_ring.h"
#include "model/schedules/ring_schedules.h"

#include <algorithm>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

/// The order in which a gather takes the axes of a colour: it reduces along its first ring first.
AxisOrder gather_order_of(const std::vector<int>& order, const CollectiveGroup& group)
{
    AxisOrder axes(order.rbegin(), order.rend());
    std::copy_if(group.used.begin(), group.used.end(), std::back_inserter(axes),
                 [&group](int axis) { return !is_torus(group.axis(axis)); });
    return axes;
}

/// [colour]; where the compiler does not say how many there are, one for each axis.
std::vector<RingOrder> orders_of(const XlaChoice& choice, const CollectiveGroup& group)
{
    const CollectiveAlgorithm& algorithm = choice.algorithm;
    const int axes = std::max(1, static_cast<int>(group.ici_axes().size()));
    const int colours = algorithm.colours > 0 ? algorithm.colours : axes;
    std::vector<RingOrder> orders;
    for (int colour = 0; colour < colours; ++colour) {
        RingOrder order;
        order.axes = choice.orders.empty()
                         ? gather_order(group, colour)
                         : gather_order_of(choice.orders[static_cast<std::size_t>(colour)], group);
        order.directions = algorithm.directions == 1 ? 1 : 2;
        order.downwards = order.directions == 1 && colour % 2 == 1;
        orders.push_back(std::move(order));
    }
    return orders;
}

/// Rings of all devices: the axis itself, or a walk through all chips. Nothing where there is none.
std::optional<XlaPlan> in_one_ring(const ScheduleRequest& request, const Collective& collective,
                                   std::vector<RingOrder> orders, bool one_way)
{
    if (request.group->ici_axes().size() < 2) {
        return XlaPlan{std::move(orders), std::nullopt};
    }
    // One colour each way uses both ways of the links, as one colour both ways does.
    const bool both = !one_way || orders.size() > 1;
    std::optional<OneRing> ring =
        one_ring(collective, *request.group, request.machine, both ? 2 : 1);
    if (!ring) {
        return std::nullopt;
    }
    for (RingOrder& order : orders) {
        order.axes = {0};
    }
    return XlaPlan{std::move(orders), std::move(ring)};
}

std::string counted(int count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

} // namespace

Collective run_as(Collective collective, const XlaChoice& choice)
{
    if (!choice.inner.empty()) {
        collective.kind = CollectiveKind::all_reduce;
    }
    collective.schedule = {};
    return collective;
}

std::string xla_name(const XlaChoice& choice)
{
    const CollectiveAlgorithm& algorithm = choice.algorithm;
    std::string name = "XLA: " + algorithm.name;
    name += choice.inner.empty() ? "" : " (" + choice.inner + ")";
    name += algorithm.colours > 0 ? ", " + counted(algorithm.colours, "colour") : "";
    name += algorithm.directions > 0 ? ", " + counted(algorithm.directions, "direction") : "";
    name += algorithm.engine == CollectiveEngine::sparse_core ? ", on SparseCore" : "";
    return name;
}

std::vector<CollectiveSchedule> xla_structures(const ScheduleRequest& request)
{
    Collective collective = request.collective;
    if (has_root(collective.kind)) {
        collective.kind = CollectiveKind::all_reduce;
    }
    const ScheduleRequest played{collective, request.machine, request.group};
    std::vector<CollectiveSchedule> schedules;
    for (const XlaChoice& choice : xla_choices(collective, *request.group, request.machine)) {
        const bool everywhere = choice.algorithm.name == "gather_and_add" &&
                                has_root(request.collective.kind); // where one would do
        std::optional<CollectiveSchedule> schedule =
            choice.inner.empty() && !everywhere ? xla_schedule(played, choice) : std::nullopt;
        if (schedule) {
            schedule->kind = request.collective.kind;
            schedules.push_back(std::move(*schedule));
        }
    }
    return schedules;
}

std::optional<XlaPlan> xla_plan(const ScheduleRequest& request, const XlaChoice& choice)
{
    static const std::set<std::string> rings{"ring", "nd_rings", "short", "one_ring"};
    const std::string& name = choice.inner.empty() ? choice.algorithm.name : choice.inner;
    if (name == "gather_and_add") {
        return XlaPlan{};
    }
    if (rings.count(name) == 0) {
        return std::nullopt;
    }
    std::vector<RingOrder> orders = orders_of(choice, *request.group);
    const bool one_way = choice.algorithm.directions == 1;
    return choice.orders.empty() && choice.algorithm.colours > 0
               ? in_one_ring(request, run_as(request.collective, choice), std::move(orders),
                             one_way)
               : XlaPlan{std::move(orders), std::nullopt};
}

CollectiveSchedule planned_schedule(const XlaPlan& plan, const Collective& asked,
                                    const CollectiveGroup& group, const XlaChoice& choice)
{
    const Collective collective = run_as(asked, choice);
    CollectiveSchedule schedule = plan.orders.empty() ? gather_and_add(collective, group)
                                  : plan.ring ? on_one_ring(collective, *plan.ring, plan.orders)
                                              : ring_schedule(collective, group, plan.orders);
    schedule.kind = asked.kind;
    schedule.algorithm = choice.algorithm;
    schedule.name = xla_name(choice);
    return schedule;
}

void set_planned_sizes(const XlaPlan& plan, const Collective& run, const CollectiveGroup& group,
                       CollectiveSchedule& schedule)
{
    if (plan.ring) {
        set_one_ring_colours(run, *plan.ring, plan.orders, schedule);
        return;
    }
    std::copy(group.axes.begin(), group.axes.end(), schedule.axes.begin());
    if (plan.orders.empty()) {
        set_added_bytes(run, schedule);
    } else {
        set_ring_colours(run, group, plan.orders, schedule);
    }
}

std::optional<CollectiveSchedule> xla_schedule(const ScheduleRequest& request,
                                               const XlaChoice& choice)
{
    const std::optional<XlaPlan> plan = xla_plan(request, choice);
    return plan ? std::optional(planned_schedule(*plan, request.collective, *request.group, choice))
                : std::nullopt;
}

} // namespace alxsim::model
