// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/trace/rank_program.h"

#include "workloads/import/trace/trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace alxsim::traces {
namespace {

void declare_buffers(model::OpGraph& graph)
{
    std::map<std::string, Bytes> largest;
    for (const model::Op& op : graph.ops) {
        for (const auto* uses : {&op.reads, &op.writes}) {
            for (const model::BufferUse& use : *uses) {
                Bytes& bytes = largest[use.buffer.text()];
                bytes = std::max(bytes, use.touched);
            }
        }
    }
    for (const auto& [name, bytes] : largest) {
        graph.buffers.push_back(
            {name, bytes,
             name == "remote memory" ? model::Residency::host : model::Residency::hbm});
    }
}

model::Collective permute_of(std::vector<model::PairMessage> messages)
{
    model::Collective permute;
    permute.kind = model::CollectiveKind::permute;
    permute.overlap = model::Overlap::async; // the trace says what waits
    permute.launched = false;                // a message is sent and received, no more
    std::map<int, Bytes> sent;
    for (const model::PairMessage& message : messages) {
        permute.bytes = std::max(permute.bytes, sent[message.source] += message.bytes);
    }
    permute.messages = std::make_shared<const std::vector<model::PairMessage>>(std::move(messages));
    return permute;
}

const model::Collective* as_collective(const RankOp& op)
{
    return std::get_if<model::Collective>(&op.op.work);
}

/// Tries to write the programs of all ranks as one.
class Folding {
public:
    explicit Folding(const std::vector<RankProgram>& programs) : programs_(programs) {}

    /// Nothing where they differ.
    std::optional<model::OpGraph> fold()
    {
        const std::vector<RankOp>& first = programs_.front().ops;
        for (const RankProgram& program : programs_) {
            if (program.ops.size() != first.size()) {
                return std::nullopt;
            }
        }
        for (std::size_t place = 0; place < first.size(); ++place) {
            places_.push_back(static_cast<int>(graph_.ops.size()));
            const bool message = first[place].message.has_value();
            if (!same_after(place) || !(message ? add_message(place) : add_op(place))) {
                return std::nullopt;
            }
        }
        return std::move(graph_);
    }

private:
    bool same_after(std::size_t place) const
    {
        return std::all_of(programs_.begin(), programs_.end(), [&](const RankProgram& program) {
            return program.ops[place].op.after == programs_.front().ops[place].op.after;
        });
    }

    void add(model::Op op, std::size_t place)
    {
        std::set<int> after;
        for (const int before : programs_.front().ops[place].op.after) {
            after.insert(places_[at(before)]);
        }
        op.after.assign(after.begin(), after.end());
        graph_.ops.push_back(std::move(op));
    }

    /// A permute of all ranks' sends here, whose receives stand at the next place.
    bool add_message(std::size_t place)
    {
        if (!programs_.front().ops[place].sends) {
            return add_receive(place);
        }
        std::vector<model::PairMessage> messages;
        std::set<int> meetings;
        for (const RankProgram& program : programs_) {
            const RankOp& op = program.ops[place];
            if (!op.message || !op.sends) {
                return false;
            }
            messages.push_back(*op.message);
            meetings.insert(op.meeting);
        }
        for (const RankProgram& program : programs_) {
            if (place + 1 == program.ops.size() ||
                meetings.count(program.ops[place + 1].meeting) == 0 ||
                program.ops[place + 1].sends) {
                return false;
            }
        }
        model::Op op;
        op.name = "messages at " + std::to_string(place);
        op.phase = programs_.front().ops[place].op.phase;
        op.work = permute_of(std::move(messages));
        add(std::move(op), place);
        return true;
    }

    /// What waits for the receive waits for the permute, which stands before it, and for what the
    /// receive waited for.
    bool add_receive(std::size_t place)
    {
        if (place == 0 || !programs_.front().ops[place - 1].sends) {
            return false;
        }
        const int permute = places_[place - 1];
        places_.back() = permute;
        std::vector<int>& after = graph_.ops[at(permute)].after;
        for (const int before : programs_.front().ops[place].op.after) {
            const int of = places_[at(before)];
            if (of != permute && std::find(after.begin(), after.end(), of) == after.end()) {
                return false;
            }
        }
        return true;
    }

    bool add_op(std::size_t place)
    {
        const RankOp& first = programs_.front().ops[place];
        if (as_collective(first) != nullptr && first.meeting >= 0) {
            return add_collective(place);
        }
        if (std::holds_alternative<model::Fixed>(first.op.work)) {
            return add_fixed(place);
        }
        const std::string text = model::to_json(first.op).dump();
        for (const RankProgram& program : programs_) {
            if (program.ops[place].message ||
                model::to_json(program.ops[place].op).dump() != text) {
                return false;
            }
        }
        add(first.op, place);
        return true;
    }

    /// No two ranks take the same time for what they do: each its own.
    bool add_fixed(std::size_t place)
    {
        std::vector<model::Work> works;
        model::Fixed longest;
        bool same = true;
        for (const RankProgram& program : programs_) {
            const RankOp& op = program.ops[place];
            const auto* const fixed = std::get_if<model::Fixed>(&op.op.work);
            if (fixed == nullptr || op.message) {
                return false;
            }
            same = same && (works.empty() || fixed->seconds == longest.seconds);
            if (works.empty() || fixed->seconds > longest.seconds) {
                longest = *fixed;
            }
            works.emplace_back(*fixed);
        }
        model::Op op = programs_.front().ops[place].op;
        op.work = longest;
        if (!same) {
            op.work_of_device = std::make_shared<const std::vector<model::Work>>(std::move(works));
        }
        add(std::move(op), place);
        return true;
    }

    /// Equal but for the groups, which are as many devices each.
    bool add_collective(std::size_t place)
    {
        const RankOp& first = programs_.front().ops[place];
        const model::Collective& of_first = *as_collective(first);
        std::map<int, std::vector<int>> groups;
        for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
            const RankOp& op = programs_[rank].ops[place];
            const model::Collective* const collective = as_collective(op);
            if (collective == nullptr || collective->kind != of_first.kind ||
                collective->bytes != of_first.bytes || collective->group != of_first.group ||
                (collective->messages != nullptr && op.meeting != first.meeting)) {
                return false;
            }
            groups[op.meeting].push_back(static_cast<int>(rank));
        }
        model::Collective whole = of_first;
        std::vector<std::vector<int>> ranks;
        for (const auto& [meeting, members] : groups) {
            if (members.size() != groups.begin()->second.size()) {
                return false;
            }
            ranks.push_back(members);
        }
        whole.ranks = nullptr; // one group is that of all
        if (ranks.size() > 1) {
            whole.ranks = std::make_shared<const std::vector<std::vector<int>>>(std::move(ranks));
        }
        model::Op op = first.op;
        op.work = whole;
        add(std::move(op), place);
        return true;
    }

    const std::vector<RankProgram>& programs_;
    model::OpGraph graph_;
    std::vector<int> places_; ///< [place in the programs]: the op that stands for it
};

/// Makes that of one rank, by itself: a message is a permute in which it meets another role.
model::OpGraph graph_of_rank(RankProgram program, int devices)
{
    model::OpGraph graph;
    for (RankOp& op : program.ops) {
        if (op.message) {
            op.op.work = permute_of({*op.message});
        } else if (as_collective(op) != nullptr && !as_collective(op)->ranks &&
                   !as_collective(op)->messages && as_collective(op)->group.empty()) {
            model::Collective all = *as_collective(op);
            std::vector<int> ranks;
            for (int device = 0; device < devices; ++device) {
                ranks.push_back(device);
            }
            all.ranks = std::make_shared<const std::vector<std::vector<int>>>(
                std::vector<std::vector<int>>{ranks});
            op.op.work = all;
        }
        graph.ops.push_back(std::move(op.op));
    }
    declare_buffers(graph);
    return graph;
}

} // namespace

model::OpGraph joined(std::vector<RankProgram> programs, int devices)
{
    if (programs.size() == 1) {
        model::OpGraph graph;
        for (RankOp& op : programs.front().ops) {
            graph.ops.push_back(std::move(op.op));
        }
        declare_buffers(graph);
        return graph;
    }
    if (std::optional<model::OpGraph> one = Folding(programs).fold()) {
        declare_buffers(*one);
        return std::move(*one);
    }
    model::OpGraph graph;
    std::map<std::string, std::size_t> roles;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        auto of_rank =
            std::make_shared<model::OpGraph>(graph_of_rank(std::move(programs[rank]), devices));
        const auto [role, added] =
            roles.emplace(model::to_json(*of_rank).dump(), graph.roles.size());
        if (added) {
            graph.roles.push_back({{}, std::move(of_rank)});
        }
        graph.roles[role->second].devices.push_back(static_cast<int>(rank));
    }
    if (graph.roles.size() == 1) { // a message alone is the same op on both sides
        return *graph.roles.front().graph;
    }
    return graph;
}

} // namespace alxsim::traces
