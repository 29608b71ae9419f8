// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/traffic.h"

#include "experiments/points/timing/collective_uses.h"
#include "model/graph/collective_json.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace alxsim::experiments {
namespace {

/// Ops of one phase, name and kind, in the order in which they are first met.
template <class Entry>
class ByName {
public:
    Entry& of(const std::string& phase, const std::string& name)
    {
        const auto [found, is_new] = places_.emplace(std::pair(phase, name), entries.size());
        if (is_new) {
            entries.emplace_back();
            entries.back().phase = phase;
            entries.back().name = name;
        }
        return entries[found->second];
    }
    std::vector<Entry> entries;

private:
    std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

struct Carried {
    std::string phase;
    std::string name;
    model::CollectiveKind kind = model::CollectiveKind::all_reduce;
    std::int64_t times = 0;
    std::int64_t payload = 0;  ///< of all devices that take part, messages aside
    std::int64_t messages = 0; ///< bytes of all devices
    bool has_messages = false;
    std::vector<bool> takes_part; ///< [device]
};

struct OpSpread {
    std::string phase;
    std::string name;
    std::vector<std::int64_t> of_device;
};

std::int64_t rows_of(const model::Work& work)
{
    if (const auto* gather = std::get_if<model::RowGather>(&work)) {
        return gather->rows;
    }
    const auto* scatter = std::get_if<model::RowScatter>(&work);
    return scatter ? scatter->rows : 0;
}

report::Skew skew_between(const std::string& phase, const std::string& of, const std::string& unit,
                          const std::vector<std::int64_t>& values)
{
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double mean =
        static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0})) /
        static_cast<double>(values.size());
    const double most_over_mean = mean > 0 ? static_cast<double>(*most) / mean : 1.0;
    return {phase, of, unit, *least, mean, *most, most_over_mean, most - values.begin()};
}

std::int64_t members_of(const std::vector<bool>& takes_part)
{
    return std::count(takes_part.begin(), takes_part.end(), true);
}

void add(const CollectiveUse& use, int devices, Carried& carried)
{
    const auto& collective = std::get<model::Collective>(use.op.work);
    const std::vector<bool> takes_part =
        use.takes_part ? *use.takes_part
                       : std::vector<bool>(static_cast<std::size_t>(devices), true);
    carried.kind = collective.kind;
    carried.times += use.times;
    carried.takes_part.resize(takes_part.size());
    std::transform(takes_part.begin(), takes_part.end(), carried.takes_part.begin(),
                   carried.takes_part.begin(), std::logical_or<>());
    if (!collective.messages) {
        carried.payload += collective.bytes.count() * use.times * members_of(takes_part);
        return;
    }
    carried.has_messages = true;
    for (const model::PairMessage& message : *collective.messages) {
        carried.messages += message.bytes.count() * use.times;
    }
}

report::Traffic traffic_of(const Carried& carried)
{
    const std::int64_t members = members_of(carried.takes_part);
    const std::int64_t sent = carried.has_messages ? carried.messages : carried.payload;
    report::Traffic traffic{carried.phase, carried.name, model::name_of(carried.kind),
                            carried.times, 0.0,          {}};
    if (carried.has_messages) {
        traffic.message_bytes = carried.messages;
    }
    if (!carried.has_messages && sent % members == 0) {
        traffic.payload_bytes = sent / members;
    } else {
        traffic.payload_bytes = static_cast<double>(sent) / static_cast<double>(members);
    }
    return traffic;
}

} // namespace

std::vector<report::Traffic> traffic_of(const model::Program& epoch,
                                        const topologies::Machine& machine)
{
    ByName<Carried> all;
    for_each_collective(epoch, machine, [&](const CollectiveUse& use) {
        add(use, machine.devices, all.of(use.op.phase, use.op.name));
    });
    std::vector<report::Traffic> result;
    for (const Carried& carried : all.entries) {
        result.push_back(traffic_of(carried));
    }
    return result;
}

std::vector<report::Skew> skew_of(const model::Program& epoch,
                                  const std::vector<workloads::Spread>& spreads, int devices)
{
    std::vector<report::Skew> result;
    for (const workloads::Spread& spread : spreads) {
        result.push_back(skew_between(spread.phase, spread.of, spread.unit, spread.of_device));
    }
    ByName<OpSpread> all;
    for (const model::StepGroup& group : epoch) {
        model::for_each_op(*group.step.graph, group.times,
                           model::RoundsOfFirstDevice{group.step.counts},
                           [&](const model::Op& op, std::int64_t times) {
                               if (!op.work_of_device) {
                                   return;
                               }
                               OpSpread& spread = all.of(op.phase, op.name);
                               spread.of_device.resize(static_cast<std::size_t>(devices));
                               for (std::size_t i = 0; i < spread.of_device.size(); ++i) {
                                   spread.of_device[i] += rows_of((*op.work_of_device)[i]) * times;
                               }
                           });
    }
    for (const OpSpread& spread : all.entries) {
        result.push_back(skew_between(spread.phase, spread.name, "rows", spread.of_device));
    }
    return result;
}

} // namespace alxsim::experiments
