// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/compiled_graph.h"

#include <cstdint>
#include <map>
#include <memory>

namespace alxsim::model {

/// Compiles graphs for one machine, each once as long as it is remembered: `most_programs` of them,
/// and none that nobody else holds any more. Their collectives share one ScheduleBook.
class ProgramCache {
public:
    static constexpr std::size_t most_programs = 128;

    ProgramCache(const topologies::Machine& machine, PhaseNames& phases,
                 ScheduleTimes times = ScheduleTimes::exact)
        : machine_(machine),
          phases_(phases),
          schedules_(machine, times)
    {
    }

    /// The caller keeps `graph` alive while it uses the result, which points into it. Throws
    /// InputError as compile().
    std::shared_ptr<const CompiledGraph> compiled(const std::shared_ptr<const OpGraph>& graph);

    std::size_t size() const { return programs_.size(); }

private:
    struct Kept {
        std::shared_ptr<const OpGraph> graph; ///< lest another graph gets its address
        std::shared_ptr<const CompiledGraph> compiled;
        std::int64_t last_used = 0;
    };

    void make_room();

    const topologies::Machine& machine_;
    PhaseNames& phases_;
    ScheduleBook schedules_;
    std::map<const OpGraph*, Kept> programs_;
    std::int64_t uses_ = 0;
};

} // namespace alxsim::model
