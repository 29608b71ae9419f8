// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/group_notes.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "base/text/printed.h"
#include "experiments/points/timing/collective_uses.h"
#include "model/collectives/mesh.h"
#include "model/graph/collective_json.h"
#include "model/meshes/mesh_layout.h"
#include "model/meshes/mesh_search.h"
#include "model/schedules/schedule_choice.h"

#include <map>
#include <optional>

namespace alxsim::experiments {
namespace {

constexpr double told_from = 1.05;

/// Groups of one name, and what their collectives take in an interval.
struct Groups {
    std::string what; ///< "are scattered over the slice", "stand on 4 of x at a distance of 2"
    double seconds = 0;
    double among_neighbours = 0;
};

/// "tensor groups"; of lists, "groups of NAME", an op's.
std::string name_of(const model::Op& op)
{
    const auto& collective = std::get<model::Collective>(op.work);
    return collective.mesh
               ? join(collective.group, " x ") + " groups"
               : "groups of " +
                     (op.name.text().empty() ? model::name_of(collective.kind) : op.name.text());
}

class GroupNotes {
public:
    explicit GroupNotes(const topologies::Machine& machine)
        : machine_(machine),
          times_(machine, model::ScheduleTimes::closed_form)
    {
    }

    void add(const model::Op& op, std::int64_t times)
    {
        const auto& collective = std::get<model::Collective>(op.work);
        if (!collective.mesh && !collective.ranks) {
            return;
        }
        const model::Collective on = model::on_network(collective, machine_);
        if (!on.ranks || on.kind == model::CollectiveKind::permute ||
            on.ranks->front().size() == 1) {
            return;
        }
        const std::optional<model::GroupBox> box = model::box_of_ranks(on, machine_);
        if (box && box->is_dense()) {
            return;
        }
        const model::TimedSchedule best = times_.best(collective);
        if (!box && !best.schedule->has_rank_network() && best.schedule->messages.empty()) {
            return; // a ring of neighbours
        }
        const auto members = static_cast<int>(on.ranks->front().size());
        const auto among_neighbours = model::best_time(on, members, machine_);
        if (among_neighbours) {
            Groups& groups = groups_[name_of(op)];
            groups.what =
                box ? "stand on " + model::place_in_words(*box, machine_) : "are lists of ranks";
            groups.seconds += to_seconds(best.time).count() * static_cast<double>(times);
            groups.among_neighbours +=
                to_seconds(*among_neighbours).count() * static_cast<double>(times);
        }
    }

    std::vector<std::string> notes() const
    {
        std::vector<std::string> notes;
        for (const auto& [name, groups] : groups_) {
            const double factor = groups.seconds / groups.among_neighbours;
            if (factor >= told_from) {
                notes.push_back(
                    name + " " + groups.what + ": their collectives take " +
                    printed("%.1f", factor) +
                    " times as long as among as many neighbours (they are no axis, rectangle or "
                    "ring of " +
                    (machine_.slice.slices() > 1 ? "" : "a slice of ") + machine_.slice.words() +
                    " chips)");
            }
        }
        return notes;
    }

private:
    const topologies::Machine& machine_;
    model::ScheduleBook times_;
    std::map<std::string, Groups> groups_;
};

std::vector<std::string> notes_anew(const model::Program& interval,
                                    const topologies::Machine& machine)
{
    GroupNotes notes(machine);
    for_each_collective(interval, machine,
                        [&notes](const CollectiveUse& use) { notes.add(use.op, use.times); });
    return notes.notes();
}

} // namespace

/// Points that differ in no number of the network share them.
std::vector<std::string> group_notes(const model::Program& interval,
                                     const topologies::Machine& machine)
{
    const std::optional<CollectivesKey> key = collectives_key(interval, machine);
    if (!key) {
        return notes_anew(interval, machine);
    }
    static Memo<CollectivesKey, std::vector<std::string>> known(16);
    return known.get(*key, [&] { return notes_anew(interval, machine); });
}

} // namespace alxsim::experiments
