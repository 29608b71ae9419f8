// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/accounts.h"

namespace alxsim::hlo {
namespace {

Json unmapped_json(const std::vector<Unmapped>& unmapped)
{
    Json all = Json::array();
    for (const Unmapped& one : unmapped) {
        all.push_back({{"name", one.name}, {"count", one.count}, {"reason", one.reason}});
    }
    return all;
}

Json trips_json(const std::vector<TripCount>& trips)
{
    Json all = Json::array();
    for (const TripCount& trip : trips) {
        Json one{{"loop", trip.loop}};
        if (trip.count) {
            one["count"] = *trip.count;
        } else {
            one["problem"] = trip.problem;
        }
        if (trip.given) {
            one["given"] = true;
        } else if (trip.count) {
            one["start"] = trip.start;
            one["limit"] = trip.limit;
            one["step"] = trip.step;
        }
        all.push_back(std::move(one));
    }
    return all;
}

Json branches_json(const std::vector<TakenBranch>& branches)
{
    Json all = Json::array();
    for (const TakenBranch& one : branches) {
        all.push_back({{"conditional", one.conditional},
                       {"branch", one.branch},
                       {"of", one.branches},
                       {"given", one.given}});
    }
    return all;
}

} // namespace

Json to_json(const Accounts& accounts)
{
    return {{"instructions", accounts.instructions},
            {"mapped", accounts.mapped},
            {"free", accounts.free},
            {"unmapped", unmapped_json(accounts.unmapped)},
            {"assumed", accounts.assumed},
            {"flops", accounts.total.flops},
            {"matmul_flops", accounts.total.matmul_flops},
            {"transcendentals", accounts.total.transcendentals},
            {"bytes_accessed", accounts.total.bytes},
            {"flops_once", accounts.once.flops},
            {"matmul_flops_once", accounts.once.matmul_flops},
            {"transcendentals_once", accounts.once.transcendentals},
            {"bytes_accessed_once", accounts.once.bytes},
            {"collective_bytes", accounts.collectives.bytes},
            {"calls", accounts.collectives.calls},
            {"dcn_bytes", accounts.dcn.bytes},
            {"dcn_calls", accounts.dcn.calls},
            {"host_bytes",
             {{"from_host", accounts.host.from_host_bytes},
              {"to_host", accounts.host.to_host_bytes},
              {"copies", accounts.host.copies}}},
            {"memory",
             {{"arguments_bytes", accounts.memory.arguments_bytes},
              {"peak_bytes", accounts.memory.peak_bytes},
              {"xla_peak_bytes", accounts.memory.xla_peak_bytes},
              {"allocated_bytes", accounts.allocated_bytes}}},
            {"trip_counts", trips_json(accounts.trip_counts)},
            {"branches", branches_json(accounts.branches)},
            {"problems", accounts.problems}};
}

} // namespace alxsim::hlo
