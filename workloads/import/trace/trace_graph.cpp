// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/trace/trace_graph.h"

#include "base/input_error.h"
#include "base/printable.h"
#include "model/graph/collective_json.h"
#include "workloads/import/trace/rank_program.h"
#include "workloads/import/trace/trace_collective.h"
#include "workloads/import/trace/trace_order.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace alxsim::traces {
namespace {

/// The name under which ops of a group of nodes are told.
std::string name_of_node(const Node& node)
{
    return node.name.empty() ? "node " + std::to_string(node.id)
                             : printable(node.name.substr(0, 120));
}

const char* phase_of(NodeKind kind)
{
    switch (kind) {
    case NodeKind::collective:
        return "collectives";
    case NodeKind::send:
    case NodeKind::receive:
        return "messages";
    case NodeKind::load:
    case NodeKind::store:
    case NodeKind::move:
        return "memory";
    default:
        return "compute";
    }
}

/// Makes the programs of all ranks.
class Lowering {
public:
    Lowering(const std::vector<Trace>& traces, const topologies::Machine& machine)
        : traces_(traces),
          machine_(machine)
    {
    }

    TraceGraph lower()
    {
        std::vector<TraceOrder> orders;
        for (const Trace& trace : traces_) {
            orders.push_back(order_of(trace));
            result_.elsewhere += orders.back().elsewhere;
        }
        alone_ = traces_.size() == 1 && machine_.devices > 1;
        if (!alone_ && traces_.size() != static_cast<std::size_t>(machine_.devices)) {
            throw InputError(traces_.front().file, "",
                             "found traces of " + std::to_string(traces_.size()) +
                                 " ranks for a machine of " + std::to_string(machine_.devices) +
                                 " devices; allowed: one for each device, or one that all run");
        }
        joint_ = joint_order(traces_, orders);
        std::vector<RankProgram> programs;
        for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
            programs.push_back(program_of(static_cast<int>(rank), orders[rank]));
        }
        auto graph =
            std::make_shared<model::OpGraph>(joined(std::move(programs), machine_.devices));
        result_.graph = std::move(graph);
        add_notes();
        return std::move(result_);
    }

private:
    RankProgram program_of(int rank, const TraceOrder& order)
    {
        const Trace& trace = traces_[at(rank)];
        RankProgram program;
        // [node]: the ops that stand for it; of a dropped one those that it waited for.
        std::vector<std::vector<int>> ops(trace.nodes.size());
        for (const int index : joint_.order[at(rank)]) {
            const Node& node = trace.nodes[at(index)];
            ++result_.nodes;
            std::vector<int> after;
            for (const int before : order.after[at(index)]) {
                after.insert(after.end(), ops[at(before)].begin(), ops[at(before)].end());
            }
            std::sort(after.begin(), after.end());
            after.erase(std::unique(after.begin(), after.end()), after.end());
            if (node.kind == NodeKind::dropped) {
                ++result_.dropped;
                ops[at(index)] = joined_after(std::move(after), program);
                continue;
            }
            ++result_.mapped;
            RankOp op = op_of(rank, index);
            op.op.after = std::move(after);
            ops[at(index)] = {static_cast<int>(program.ops.size())};
            program.ops.push_back(std::move(op));
        }
        return program;
    }

    /// What waits for so many ops waits for one that waits for them: else lists would grow with
    /// the square of the trace.
    static std::vector<int> joined_after(std::vector<int> after, RankProgram& program)
    {
        constexpr std::size_t most = 16;
        if (after.size() <= most) {
            return after;
        }
        RankOp join;
        join.op.name = "join";
        join.op.phase = phase_of(NodeKind::compute);
        join.op.work = model::Fixed{Seconds(0), model::FixedUnit::host};
        join.op.after = std::move(after);
        program.ops.push_back(std::move(join));
        return {static_cast<int>(program.ops.size()) - 1};
    }

    RankOp op_of(int rank, int index)
    {
        const Node& node = traces_[at(rank)].nodes[at(index)];
        RankOp op;
        op.op.name = name_of_node(node);
        op.op.phase = phase_of(node.kind);
        const int meeting = joint_.meeting_of[at(rank)][at(index)];
        switch (node.kind) {
        case NodeKind::collective:
            set_collective(op, node, rank, meeting);
            break;
        case NodeKind::send:
        case NodeKind::receive:
            set_message(op, node, meeting);
            break;
        case NodeKind::load:
            op.op.work =
                model::Copy{topologies::Tier::host, topologies::Tier::hbm, Bytes(node.bytes)};
            op.op.reads = {{"remote memory", Bytes(node.bytes)}};
            break;
        case NodeKind::store:
            op.op.work =
                model::Copy{topologies::Tier::hbm, topologies::Tier::host, Bytes(node.bytes)};
            op.op.writes = {{"remote memory", Bytes(node.bytes)}};
            break;
        case NodeKind::move:
            op.op.work =
                model::Copy{topologies::Tier::hbm, topologies::Tier::hbm, Bytes(node.bytes)};
            break;
        default:
            set_computation(op, node);
            break;
        }
        return op;
    }

    void set_computation(RankOp& op, const Node& node)
    {
        if (node.operations > 0 && node.bytes > 0) {
            ++result_.custom;
            model::Custom custom;
            custom.flops = node.operations;
            op.op.work = custom;
            op.op.reads = {{"operands", Bytes(node.bytes)}};
            return;
        }
        ++result_.fixed;
        without_time_ += node.seconds == 0 ? 1 : 0;
        op.op.work = model::Fixed{Seconds(node.seconds), model::FixedUnit::tensor_core};
    }

    void set_message(RankOp& op, const Node& node, int number)
    {
        const Meeting& meeting = joint_.meetings[at(number)];
        const Place& from = meeting.members[0];
        const Place& to = meeting.members[1];
        op.sends = node.kind == NodeKind::send;
        op.message = model::PairMessage{from.rank, to.rank, Bytes(node.bytes)};
        op.op.name = "message " + std::to_string(from.rank) + " to " + std::to_string(to.rank) +
                     " tag " + std::to_string(node.tag) + " no " + std::to_string(meeting.number);
        op.meeting = number;
        if (op.sends) {
            ++result_.messages;
            result_.message_bytes += node.bytes;
        }
    }

    /// All ranks' members say the same, else it is refused.
    void hold(const Meeting& meeting) const
    {
        const Place& place = meeting.members.front();
        const Node& first = traces_[at(place.rank)].nodes[at(place.node)];
        for (const Place& member : meeting.members) {
            const Node& node = traces_[at(member.rank)].nodes[at(member.node)];
            const bool rooted = node.exchange == Exchange::scatter;
            if (node.exchange != first.exchange || node.has_exchange != first.has_exchange ||
                (node.bytes != first.bytes && !rooted) || node.dimensions != first.dimensions) {
                throw InputError(
                    traces_[at(member.rank)].file, "node " + std::to_string(node.id),
                    "found " + name_of(node.exchange) + " of " + std::to_string(node.bytes) +
                        " bytes where rank " + std::to_string(place.rank) + " has " +
                        name_of(first.exchange) + " of " + std::to_string(first.bytes) +
                        " as the same collective of group '" + first.group + "' (number " +
                        std::to_string(meeting.number) + "); allowed: the same of all its ranks");
            }
        }
    }

    void set_collective(RankOp& op, const Node& node, int rank, int number)
    {
        if (!is_known(alone_ ? node : told_by(joint_.meetings[at(number)]))) {
            ++unknown_collectives_;
            op.op.work = model::Fixed{Seconds(node.seconds), model::FixedUnit::tensor_core};
            return;
        }
        const Meeting& meeting = joint_.meetings[at(number)];
        FoundGroups groups;
        int size = machine_.devices;
        if (alone_) {
            groups = groups_of(node, traces_.front(), machine_);
            size = groups.groups.empty() ? size : static_cast<int>(groups.groups.front().size());
        } else {
            groups = groups_of_meeting(meeting);
            size = static_cast<int>(meeting.members.size());
        }
        if (!groups.axes.empty()) {
            size = size_of(groups.axes);
        }
        if (!groups.note.empty()) {
            notes_.insert(groups.note);
        }
        const Node& told = alone_ ? node : told_by(meeting);
        if (told.exchange == Exchange::all_gather && told.bytes > most_bytes_of_node / size) {
            throw InputError(traces_[at(rank)].file, "node " + std::to_string(node.id),
                             "found " + std::to_string(told.bytes) + " bytes of each of " +
                                 std::to_string(size) + " ranks; allowed: 1e15 of all");
        }
        const bool counts = alone_ || rank == meeting.members.front().rank;
        if (counts && !alone_) {
            hold(meeting);
        }
        const model::Collective collective = collective_of(told, groups, size, machine_);
        if (counts) {
            const std::string kind = model::name_of(collective.kind);
            result_.collective_bytes[kind] += collective.bytes.count();
            ++result_.collective_calls[kind];
        }
        op.op.name = name_of(node.exchange) +
                     (node.group.empty() ? "" : " of " + printable(node.group)) + " no " +
                     std::to_string(meeting.number);
        op.meeting = alone_ ? -1 : number;
        op.op.work = collective;
    }

    /// The member that says how much moves: of a scatter its root alone does.
    const Node& told_by(const Meeting& meeting) const
    {
        const auto node_of = [&](const Place& place) -> const Node& {
            return traces_[at(place.rank)].nodes[at(place.node)];
        };
        const auto most = std::max_element(
            meeting.members.begin(), meeting.members.end(),
            [&](const Place& a, const Place& b) { return node_of(a).bytes < node_of(b).bytes; });
        return node_of(*most);
    }

    FoundGroups groups_of_meeting(const Meeting& meeting) const
    {
        const Place& place = meeting.members.front();
        const Node& node = traces_[at(place.rank)].nodes[at(place.node)];
        if (!node.dimensions.empty()) {
            return groups_of(node, traces_[at(place.rank)], machine_);
        }
        FoundGroups found;
        if (meeting.members.size() < traces_.size()) {
            found.groups.emplace_back();
            for (const Place& member : meeting.members) {
                found.groups.front().push_back(member.rank);
            }
        }
        return found;
    }

    int size_of(const std::vector<std::string>& axes) const
    {
        const std::vector<std::string> names = machine_.slice.axis_names();
        int size = machine_.devices / machine_.slice.chips();
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (std::find(axes.begin(), axes.end(), names[i]) != axes.end()) {
                size *= machine_.slice.axes()[i].length;
            }
        }
        return size;
    }

    void add_notes()
    {
        std::vector<std::string>& notes = result_.notes;
        notes.assign(notes_.begin(), notes_.end());
        if (alone_) {
            notes.emplace_back("the trace of one rank is what all devices do");
        }
        if (result_.elsewhere > 0) {
            notes.push_back(std::to_string(result_.elsewhere) +
                            " dependencies are on nodes that the files do not have, and are left "
                            "out");
        }
        if (result_.fixed > 0) {
            notes.push_back(std::to_string(result_.fixed) +
                            " computations take what they took where they were traced, whatever "
                            "the chip here");
        }
        if (without_time_ > 0) {
            notes.push_back(std::to_string(without_time_) +
                            " of them have neither time nor operations and take none");
        }
        if (unknown_collectives_ > 0) {
            notes.push_back(std::to_string(unknown_collectives_) +
                            " collectives of unknown kind or size take what they took");
        }
        notes.emplace_back(
            "traces do not record memory, so that whether the job fits is not known");
    }

    const std::vector<Trace>& traces_;
    const topologies::Machine& machine_;
    TraceGraph result_;
    JointOrder joint_;
    std::set<std::string> notes_;
    bool alone_ = false;
    std::int64_t without_time_ = 0, unknown_collectives_ = 0;
};

} // namespace

TraceGraph graph_of(const std::vector<Trace>& traces, const topologies::Machine& machine)
{
    return Lowering(traces, machine).lower();
}

} // namespace alxsim::traces
