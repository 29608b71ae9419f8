// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/solved_step.h"

namespace alxsim::alx {

std::vector<SolvedRow> SolvedStep::rows() const
{
    std::vector<SolvedRow> rows;
    for (int device = 0; device < mesh.devices; ++device) {
        const BatchRange& range =
            batches.batches[static_cast<std::size_t>(step * mesh.devices + device)];
        for (std::int64_t slot = 0; slot < range.solved(); ++slot) {
            rows.push_back(
                {device, slot, batches.examples[static_cast<std::size_t>(range.first + slot)]});
        }
    }
    return rows;
}

ScatteredRows written_by_holders(const SolvedStep& solved)
{
    const auto devices = static_cast<std::size_t>(solved.mesh.devices);
    const MeshIndex index(solved.mesh);
    ScatteredRows scattered{std::vector<std::vector<SolvedRow>>(devices),
                            std::vector<std::int64_t>(devices)};
    for (const SolvedRow& row : solved.rows()) {
        const int holder = index.at({solved.own.owner(row.row), 0, 0});
        scattered.written[static_cast<std::size_t>(holder)].push_back(row);
    }
    return scattered;
}

} // namespace alxsim::alx
