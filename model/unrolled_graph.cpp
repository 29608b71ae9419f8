// SPDX-License-Identifier: Apache-2.0
#include "model/unrolled_graph.h"

#include "base/input_error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace alxsim::model {
namespace {

constexpr std::size_t most_ops = 1'000'000;

/// Ops of a repeat beside others; of all together, those in bodies included, some more than the
/// second.
constexpr std::size_t most_ops_written_out = 256;
constexpr std::size_t most_ops_beside_others = 16384;

/// How many iterations of a repeat are written out, behind so many ops.
using WrittenOut = std::int64_t (*)(const CompiledOp& repeat, std::int64_t times, std::size_t ops);

std::int64_t all_with_collectives(const CompiledOp& repeat, std::int64_t times, std::size_t /*ops*/)
{
    return repeat.body->has_collectives ? times : 0;
}

std::int64_t all_where_roles_meet(const CompiledOp& repeat, std::int64_t times, std::size_t /*ops*/)
{
    return repeat.body->joins_roles ? times : 0;
}

std::int64_t first_beside_others(const CompiledOp& repeat, std::int64_t times, std::size_t ops)
{
    const auto enough =
        static_cast<std::int64_t>(most_ops_written_out / (repeat.body->ops.size() + 1) + 2);
    return repeat.beside_others && ops < most_ops_beside_others ? std::min(times, enough) : 0;
}

/// Whether a collective of several roles does.
bool roles_keep_all_busy(const CompiledGraph& graph, const topologies::Machine& machine)
{
    return std::any_of(graph.ops.begin(), graph.ops.end(), [&](const CompiledOp& op) {
        return joins_roles(op) && (op.body ? roles_keep_all_busy(*op.body, machine)
                                           : unit_group(op, machine) == all_units);
    });
}

class Unroller {
public:
    Unroller(const Counts& counts, WrittenOut written_out)
        : counts_(counts),
          written_out_(written_out)
    {
    }

    /// Appends the ops of `graph`, which begin when op `begin` is over, or at once if that is -1.
    /// Returns an op that is over when they all are.
    int append(const CompiledGraph& graph, int begin)
    {
        std::vector<std::vector<int>> after(graph.ops.size());       // ends of what each waits for
        std::vector<std::vector<int>> after_start(graph.ops.size()); // the same of starts
        std::vector<int> last;
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const CompiledOp& op = graph.ops[i];
            if (after[i].empty() && after_start[i].empty() && begin >= 0) {
                after[i] = {begin};
            }
            const Place place = add(op, after[i]);
            for (const int before : after_start[i]) {
                at(before).start_successors.push_back(place.first);
                ++at(place.first).predecessors;
            }
            for (const int successor : op.successors) {
                after[static_cast<std::size_t>(successor)].push_back(place.last);
            }
            for (const int successor : op.start_successors) {
                after_start[static_cast<std::size_t>(successor)].push_back(place.first);
            }
            if (op.successors.empty()) {
                last.push_back(place.last);
            }
        }
        return last.size() == 1 ? last.front() : add_one(CompiledOp(), last);
    }

    CompiledGraph take() { return std::move(result_); }

private:
    /// Where an op, or all iterations of a repeat, begin and end.
    struct Place {
        int first;
        int last;
    };

    Place add(const CompiledOp& op, const std::vector<int>& after)
    {
        const std::int64_t times = op.body ? iterations_left(op, counts_) : 0;
        const std::int64_t written = op.body ? written_out_(op, times, result_.ops.size()) : 0;
        if (written == 0 && (times > 0 || !op.body)) {
            const int place = add_one(op, after);
            return {place, place};
        }
        CompiledOp control;
        control.op = op.op;
        control.cost = op.cost;
        control.phase = op.phase;
        if (times == 0) {
            const int place = add_one(CompiledOp(), after);
            return {place, place};
        }
        Place place{add_one(control, after), 0};
        place.last = append(*op.body, place.first);
        for (std::int64_t done = 1; done < written; ++done) {
            place.last = append(*op.body, add_one(control, {place.last}));
        }
        if (written < times) {
            CompiledOp rest = op;
            rest.iterations_before += written;
            place.last = add_one(std::move(rest), {place.last});
        }
        return place;
    }

    int add_one(CompiledOp op, const std::vector<int>& after)
    {
        if (result_.ops.size() >= most_ops) {
            throw InputError("", "roles",
                             "found loops with collectives that are more than " +
                                 std::to_string(most_ops) +
                                 " ops written out; allowed: fewer, to be estimated");
        }
        const auto number = static_cast<int>(result_.ops.size());
        op.predecessors = static_cast<int>(after.size());
        op.successors.clear();
        op.start_successors.clear();
        result_.has_collectives = result_.has_collectives || op.schedule;
        result_.ops.push_back(std::move(op));
        for (const int before : after) {
            at(before).successors.push_back(number);
        }
        return number;
    }

    CompiledOp& at(int op) { return result_.ops[static_cast<std::size_t>(op)]; }

    const Counts& counts_;
    const WrittenOut written_out_;
    CompiledGraph result_;
};

} // namespace

std::shared_ptr<const CompiledGraph> unrolled(const std::shared_ptr<const CompiledGraph>& graph,
                                              const topologies::Machine& machine,
                                              const Counts& counts)
{
    const WrittenOut written_out =
        roles_keep_all_busy(*graph, machine) ? all_with_collectives : all_where_roles_meet;
    const bool stays = std::all_of(graph->ops.begin(), graph->ops.end(), [&](const auto& op) {
        const std::int64_t times = op.body ? iterations_left(op, counts) : 0;
        return !op.body || (times > 0 && written_out(op, times, 0) == 0);
    });
    if (stays) {
        return graph;
    }
    Unroller unroller(counts, written_out);
    unroller.append(*graph, -1);
    return std::make_shared<const CompiledGraph>(unroller.take());
}

CompiledGraph with_repeats_beside_others_written_out(const CompiledGraph& graph,
                                                     const Counts& counts)
{
    Unroller unroller(counts, first_beside_others);
    unroller.append(graph, -1);
    return unroller.take();
}

} // namespace alxsim::model
