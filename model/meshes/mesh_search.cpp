// SPDX-License-Identifier: Apache-2.0
#include "model/meshes/mesh_search.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "base/numbers/double_bits.h"
#include "base/work/debug_log.h"
#include "model/schedules/schedule_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace alxsim::model {
namespace {

using topologies::Machine;

/// A slice of three axes of 16 cut among four axes of a mesh has more.
constexpr std::int64_t most_layouts = 20'000;

/// [axis of the mesh]: whether a group of the collective spans it.
std::vector<bool> spans_of(const Collective& collective, const Mesh& mesh)
{
    std::vector<bool> spans;
    for (const MeshAxis& axis : mesh.axes) {
        const auto& names = collective.group;
        spans.push_back(std::find(names.begin(), names.end(), axis.name.text()) != names.end());
    }
    return spans;
}

int places_along(const Mesh& mesh, const std::vector<bool>& spans)
{
    int places = 1;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        places *= spans[i] ? mesh.axes[i].length : 1;
    }
    return places;
}

/// [axis of the slice]: the first of the network's axes that has its rates.
std::vector<int> rates_of_axes(const Machine& machine)
{
    std::vector<int> rates(machine.slice.axes().size(), -1);
    std::vector<NetworkAxis> seen;
    for (NetworkAxis axis : network_axes(machine)) {
        const int torus_axis = std::exchange(axis.torus_axis, 0);
        axis.length = 1;
        axis.wraps = false;
        if (torus_axis >= 0) {
            const auto alike = std::find(seen.begin(), seen.end(), axis);
            rates[static_cast<std::size_t>(torus_axis)] = static_cast<int>(alike - seen.begin());
            if (alike == seen.end()) {
                seen.push_back(axis);
            }
        }
    }
    return rates;
}

/// What times in boxes go by: rates, length, hops and wrap of each side; whole chips.
using Looks = std::pair<bool, std::vector<std::tuple<int, int, int, bool>>>;

/// Whether two collectives along the same axes of a mesh differ in their roots alone.
bool differ_in_roots_alone(const Collective& a, const Collective& b)
{
    const auto looks = [](const Collective& one) {
        return std::tie(one.kind, one.bytes, one.dtype, one.across_chips, one.listed,
                        one.schedule.colours, one.schedule.directions, one.schedule.algorithm,
                        one.schedule.choice, one.messages, one.after, one.ranks);
    };
    return looks(a) == looks(b);
}

void add_axes(const std::vector<NetworkAxis>& axes, NetworkKey& key)
{
    key.second.push_back(static_cast<std::int64_t>(axes.size()));
    for (const NetworkAxis& axis : axes) {
        key.second.insert(key.second.end(),
                          {axis.torus_axis, axis.length, axis.wraps,
                           double_bits(axis.bytes_per_second), axis.latency.count(),
                           axis.packet.count(), double_bits(axis.hidden), axis.joins_slices,
                           axis.hops, axis.sharing});
    }
}

/// Times a collective among groups alike that are boxes, in closed form. What lays a mesh and what
/// judges how it lies, points and candidates ask for the same ones.
Picoseconds closed_form_time_in(const Collective& one, const CollectiveGroup& group,
                                const Machine& machine, NetworkKey key)
{
    static Memo<NetworkKey, Picoseconds> known(20'000); // of some 500 bytes each
    if (one.messages || one.ranks) {
        return quickest_in(one, group, machine, ScheduleTimes::closed_form).time;
    }
    const ScheduleOptions& options = one.schedule;
    key.second.insert(key.second.end(),
                      {static_cast<std::int64_t>(one.kind), one.bytes.count(),
                       static_cast<std::int64_t>(one.dtype), one.across_chips, one.listed,
                       options.colours, options.directions,
                       static_cast<std::int64_t>(options.algorithm),
                       options.choice ? static_cast<std::int64_t>(*options.choice) : -1,
                       group.chips, group.devices});
    add_axes(group.axes, key);
    key.second.insert(key.second.end(), group.used.begin(), group.used.end());
    key.second.insert(key.second.end(), group.root.begin(), group.root.end());
    return known.get(
        key, [&] { return quickest_in(one, group, machine, ScheduleTimes::closed_form).time; });
}

/// Collectives along the same axes of a mesh, and what they take together in a box.
class BoxTimes {
public:
    explicit BoxTimes(NetworkKey machine) : machine_key_(std::move(machine)) {}

    void add(Collective collective, std::int64_t times)
    {
        collective.mesh = nullptr;
        collective.group.clear();
        const int root = std::exchange(collective.root, 0);
        const auto known =
            std::find_if(job_.begin(), job_.end(), [&collective](const FromRoots& one) {
                return differ_in_roots_alone(one.collective, collective);
            });
        FromRoots& alike = known == job_.end() ? job_.emplace_back() : *known;
        alike.collective = std::move(collective);
        alike.times[root] += times;
    }

    /// Those in closed form are remembered for boxes that look alike. Nothing where a collective
    /// asks for what such groups do not have.
    std::optional<Picoseconds> closed_form(const GroupBox& box, const Looks& looks,
                                           const Machine& machine)
    {
        const auto [place, is_new] = known_.try_emplace(looks, std::nullopt);
        if (is_new) {
            try {
                place->second = in_all(box, machine, ScheduleTimes::closed_form);
            } catch (const InputError&) {
                place->second = std::nullopt;
            }
        }
        return place->second;
    }

    /// Boxes with others' chips between theirs are in closed form always: their replays take long.
    Picoseconds in_all(const GroupBox& box, const Machine& machine, ScheduleTimes asked) const
    {
        const ScheduleTimes times = box.is_dense() ? asked : ScheduleTimes::closed_form;
        Picoseconds sum(0);
        for (const FromRoots& one : job_) {
            std::map<std::vector<int>, Picoseconds> known; // by root_among_alike()
            for (const auto& [root, count] : one.times) {
                CollectiveGroup group = group_of(box, root, machine);
                group.root = root_among_alike(group);
                const auto [place, is_new] = known.try_emplace(group.root, 0);
                if (is_new) {
                    place->second =
                        times == ScheduleTimes::exact
                            ? quickest_in(one.collective, group, machine, times).time
                            : closed_form_time_in(one.collective, group, machine, machine_key_);
                }
                sum += place->second * count;
            }
        }
        return sum;
    }

private:
    /// Collectives that differ in their roots alone; of kinds without one, that from 0.
    struct FromRoots {
        Collective collective;
        std::map<int, std::int64_t> times; ///< by root
    };

    NetworkKey machine_key_;
    std::vector<FromRoots> job_;
    std::map<Looks, std::optional<Picoseconds>> known_;
};

/// A layout that stands for all that look like it, and what the job's collectives take in it.
struct Contender {
    MeshLayout layout;
    std::vector<Looks> looks; ///< of its boxes, by what they span
    Picoseconds closed_form{0};
    std::size_t parts = 0;
    bool whole = true; ///< no axis of the slice is cut
};

/// Closed forms are up to some 10 % off where colours meet on links: of those that they find about
/// as quick, so many are replayed.
constexpr std::ptrdiff_t most_replayed = 4;
constexpr double about_as_quick = 1.5;

class Search {
public:
    Search(const Mesh& mesh, const std::vector<MeshCollective>& job, const Machine& machine)
        : machine_(machine),
          rates_(rates_of_axes(machine))
    {
        const NetworkKey key = network_key(machine);
        for (const MeshCollective& one : job) {
            const std::vector<bool> spans = spans_of(one.collective, mesh);
            const int places = places_along(mesh, spans);
            // All devices are the same ones wherever the mesh lies.
            if (places > 1 && places < machine.devices) {
                along_.try_emplace(spans, key).first->second.add(one.collective, one.times);
            }
        }
    }

    void look_at(const MeshLayout& layout)
    {
        Contender contender;
        contender.layout = layout;
        for (const auto& [spans, times] : along_) {
            const std::optional<GroupBox> box = box_along(layout, spans, machine_);
            if (!box) {
                return;
            }
            contender.looks.push_back(looks_of(*box));
        }
        for (const std::vector<MeshPart>& of_axis : layout) {
            contender.parts += of_axis.size();
            contender.whole = contender.whole && all_whole(of_axis);
        }
        if (seen_.insert(contender.looks).second) {
            contenders_.push_back(std::move(contender));
        }
    }

    /// In closed form; nothing where no layout is found.
    std::optional<Picoseconds> least_time()
    {
        const std::vector<Contender> timed = timed_ones([](const Contender&) { return true; });
        return timed.empty() ? std::nullopt : std::optional<Picoseconds>(timed.front().closed_form);
    }

    /// Returns the best of those that cut no axis of the slice, if there are such and chips have
    /// one device each.
    std::optional<MeshLayout> best()
    {
        std::vector<Contender> timed;
        if (machine_.devices_per_chip == 1) {
            timed = timed_ones([](const Contender& one) { return one.whole; });
        }
        if (timed.empty()) {
            timed = timed_ones([](const Contender&) { return true; });
        }
        return timed.empty()
                   ? std::nullopt
                   : std::optional<MeshLayout>(quickest_of(timed.begin(), timed.end())->layout);
    }

private:
    using Place = std::vector<Contender>::const_iterator;

    /// Those that hold, and that no collective refuses, in the order of their closed forms.
    template <class Holds>
    std::vector<Contender> timed_ones(Holds holds)
    {
        std::vector<Contender> timed;
        for (const Contender& one : contenders_) {
            if (!holds(one)) {
                continue;
            }
            if (const std::optional<Picoseconds> time = closed_form(one)) {
                timed.push_back(one);
                timed.back().closed_form = *time;
            }
        }
        std::stable_sort(timed.begin(), timed.end(), [](const Contender& a, const Contender& b) {
            return std::tie(a.closed_form, a.parts) < std::tie(b.closed_form, b.parts);
        });
        return timed;
    }

    std::optional<Picoseconds> closed_form(const Contender& contender)
    {
        Picoseconds sum(0);
        auto looks = contender.looks.begin();
        for (auto& [spans, times] : along_) {
            const std::optional<GroupBox> box = box_along(contender.layout, spans, machine_);
            const auto here = times.closed_form(*box, *looks++, machine_);
            if (!here) {
                return std::nullopt;
            }
            sum += *here;
        }
        return sum;
    }

    /// Returns the quickest of some in the order of their closed forms: the first few are replayed.
    Place quickest_of(Place first, Place last) const
    {
        const auto limit = std::min<std::ptrdiff_t>(most_replayed, last - first);
        Place best = first;
        Picoseconds least = limit > 1 ? replayed(*first) : Picoseconds(0);
        for (Place one = first + 1; one < first + limit; ++one) {
            if (one->closed_form / first->closed_form > about_as_quick) {
                break;
            }
            const Picoseconds time = replayed(*one);
            if (time < least) {
                least = time;
                best = one;
            }
        }
        return best;
    }

    bool all_whole(const std::vector<MeshPart>& parts) const
    {
        return std::all_of(parts.begin(), parts.end(), [this](const MeshPart& part) {
            return part.axis == MeshPart::on_chip ||
                   part.length == machine_.slice.axes()[static_cast<std::size_t>(part.axis)].length;
        });
    }

    Looks looks_of(const GroupBox& box) const
    {
        Looks looks{box.whole_chips, {}};
        for (const BoxSide& side : box.sides) {
            looks.second.emplace_back(rates_[static_cast<std::size_t>(side.axis)], side.length,
                                      side.hops, side.wraps);
        }
        return looks;
    }

    Picoseconds replayed(const Contender& contender) const
    {
        Picoseconds time(0);
        for (const auto& [spans, times] : along_) {
            time += times.in_all(*box_along(contender.layout, spans, machine_), machine_,
                                 ScheduleTimes::exact);
        }
        return time;
    }

    const Machine& machine_;
    std::vector<int> rates_;
    std::map<std::vector<bool>, BoxTimes> along_; ///< by the axes that groups span
    std::set<std::vector<Looks>> seen_;
    std::vector<Contender> contenders_;
};

/// "data: x; tensor: y, z".
std::string in_words(const Mesh& mesh, const MeshLayout& layout, const Machine& machine)
{
    std::vector<std::string> words;
    for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
        std::vector<bool> spans(mesh.axes.size());
        spans[axis] = true;
        const std::optional<GroupBox> box = box_along(layout, spans, machine);
        words.push_back(mesh.axes[axis].name.text() + ": " +
                        (box ? place_in_words(*box, machine) : "scattered"));
    }
    return join(words, "; ");
}

} // namespace

NetworkKey network_key(const Machine& machine)
{
    NetworkKey key{machine.preset.name(),
                   {static_cast<std::int64_t>(machine.schedule), machine.devices,
                    machine.devices_per_chip, machine.slice.slices(), machine.slice.twisted(),
                    machine.faults.links.empty()}};
    for (const topologies::Axis& axis : machine.slice.axes()) {
        key.second.push_back(axis.length);
    }
    add_axes(network_axes(machine), key);
    const NetworkNumbers numbers = network_numbers(machine.network);
    key.second.insert(key.second.end(), numbers.begin(), numbers.end());
    return key;
}

std::optional<MeshLayout> best_layout(const Mesh& mesh, const std::vector<MeshCollective>& job,
                                      const Machine& machine,
                                      const std::function<bool(const MeshLayout&)>& allowed)
{
    Search search(mesh, job, machine);
    for_layouts(mesh, machine, most_layouts, [&](const MeshLayout& layout) {
        if (!allowed || allowed(layout)) {
            search.look_at(layout);
        }
    });
    std::optional<MeshLayout> best = search.best();
    debug_log(DebugRoom::meshes, [&] {
        return best ? in_words(mesh, *best, machine)
                    : std::string("no layout in which all groups are boxes");
    });
    return best;
}

std::vector<int> root_among_alike(const CollectiveGroup& group)
{
    std::vector<int> root = group.root;
    for (const int index : group.used) {
        const NetworkAxis& axis = group.axis(index);
        int& at = root[static_cast<std::size_t>(index)];
        if (is_torus(axis)) {
            at = axis.wraps ? 0 : std::min(at, axis.length - 1 - at);
        }
    }
    return root;
}

std::optional<Picoseconds> best_time(const Collective& collective, int members,
                                     const Machine& machine)
{
    if (machine.devices % members != 0 || members == machine.devices) {
        return std::nullopt;
    }
    const Mesh mesh{{"others", machine.devices / members}, {"members", members}};
    Collective along = collective;
    along.group = {"members"};
    along.ranks = nullptr;
    Search search(mesh, {{along, 1}}, machine);
    for_layouts(mesh, machine, most_layouts,
                [&search](const MeshLayout& layout) { search.look_at(layout); });
    return search.least_time();
}

} // namespace alxsim::model
