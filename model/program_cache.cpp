// SPDX-License-Identifier: Apache-2.0
#include "model/program_cache.h"

#include <algorithm>

namespace alxsim::model {

std::shared_ptr<const CompiledGraph>
ProgramCache::compiled(const std::shared_ptr<const OpGraph>& graph)
{
    auto found = programs_.find(graph.get());
    if (found == programs_.end()) {
        make_room();
        const BufferPlacement placement = place(*graph, usable_vmem(machine_.device));
        Kept program{graph, compile(*graph, placement, machine_, phases_, schedules_), 0};
        found = programs_.emplace(graph.get(), std::move(program)).first;
    }
    found->second.last_used = ++uses_;
    return found->second.compiled;
}

void ProgramCache::make_room()
{
    for (auto program = programs_.begin(); program != programs_.end();) {
        const bool forgotten = program->second.graph.use_count() == 1;
        program = forgotten ? programs_.erase(program) : std::next(program);
    }
    if (programs_.size() >= most_programs) {
        programs_.erase(
            std::min_element(programs_.begin(), programs_.end(), [](const auto& a, const auto& b) {
                return a.second.last_used < b.second.last_used;
            }));
    }
}

} // namespace alxsim::model
