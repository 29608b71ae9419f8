// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/lowering/async_ends.h"
#include "workloads/import/hlo/lowering/collective_lowering.h"
#include "workloads/import/hlo/lowering/fused_work.h"
#include "workloads/import/hlo/lowering/lowering.h"
#include "workloads/import/hlo/lowering/phases.h"
#include "workloads/import/hlo/lowering/traffic.h"
#include "workloads/import/hlo/lowering/works.h"
#include "workloads/import/hlo/xla_cost.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::hlo {

/// Names of a graph's buffers (Lowered::graph).
namespace buffers {
constexpr const char* arguments = "arguments";
constexpr const char* temporaries = "temporaries";
constexpr const char* vmem = "vmem";
constexpr const char* host = "host";
} // namespace buffers

/// What was met on the way, for notes.
struct LoweringCounts {
    std::int64_t estimated_kernels = 0; ///< by their authors' estimates
    std::int64_t assumed = 0;           ///< by the user
    std::int64_t attention_kernels = 0; ///< by their shapes, as the user says
    std::int64_t scalars = 0;           ///< left to the scalar core
    std::int64_t chip_copies = 0;       ///< asynchronous, within VMEM
    std::int64_t carried = 0;           ///< begun outside of a loop and awaited inside, or so
    std::int64_t callbacks = 0;
    std::int64_t host_copies = 0;
    std::int64_t beside_copies = 0; ///< synchronous collectives during which copies go on
    std::int64_t on_chip = 0;       ///< uses of arrays in VMEM by collectives
};

/// One run over a module.
class ModuleLowering {
public:
    /// All outlive it.
    ModuleLowering(const Module& module, const topologies::Machine& machine,
                   std::vector<int> devices, const XlaCosts& costs, const LoweringOptions& options);

    /// The entry's ops, without buffers. Fills what follows.
    model::OpGraph run();

    LoweringCounts counts;
    std::map<std::string, OpOrigin> origins;
    std::vector<std::string> phases;

private:
    /// A graph under construction.
    struct Body {
        model::OpGraph graph = {};
        std::string phase;
        int last = -1;               ///< the last synchronous op
        std::vector<int> waits = {}; ///< asynchronous ops whose end has been met since
        std::map<const Instruction*, int> begun = {};
        std::map<std::string_view, int> transfers = {}; ///< by rendezvous
        bool copies_around = false; ///< that have begun outside of the loop whose body this is
        bool other_engine = false;  ///< what is lowered now runs beside the TensorCore
    };
    /// A computation as it is lowered.
    struct Scope {
        const Computation& computation;
        std::vector<bool> arguments; ///< [element of its parameter]: is an argument of the program
        std::set<const Instruction*> awaited;
    };

    void lower(Body& body, Scope& scope);
    void lower_called(Body& body, int computation);
    void lower_instruction(Body& body, const Scope& scope, const Instruction& instruction);
    void lower_end(Body& body, const Scope& scope, const Instruction& instruction);
    std::string phase_of_loop(const Instruction& loop, const std::string& otherwise) const;
    void lower_loop(Body& body, const Scope& scope, const Instruction& loop);
    void lower_started_call(Body& body, const Instruction& call);
    void lower_collective(Body& body, const Scope& scope, const Instruction& instruction,
                          const Collective& collective, bool async);
    static bool copies_under_way(const Body& body);
    void lower_host_transfer(Body& body, const Scope& scope, const Instruction& instruction,
                             HostTransfer transfer);
    void lower_started_copy(Body& body, const Scope& scope, const Instruction& instruction);
    void lower_compute(Body& body, const Scope& scope, const Instruction& instruction);
    void lower_kernel(Body& body, const Scope& scope, const Instruction& instruction,
                      const Instruction& kernel, const KernelCost& cost, bool attention);
    void lower_kernels(Body& body, const Scope& scope, const Instruction& instruction,
                       const std::vector<const Instruction*>& kernels);
    void lower_works(Body& body, const Scope& scope, const Instruction& instruction,
                     const FusedWork& fused);
    void add_table(const Scope& scope, const Instruction& instruction, const LoweredWork& work,
                   model::Op& op);
    void lower_moves(Body& body, const Scope& scope, const Instruction& instruction,
                     const HbmTraffic& traffic);
    void lower_assumed(Body& body, const Scope& scope, const Instruction& instruction,
                       const std::string& name);

    model::Op op_of(Body& body, const Instruction& instruction, model::Work work);
    int add_synchronous(Body& body, model::Op op);
    int add_asynchronous(Body& body, model::Op op, const Instruction& start);
    void wait_for_strays(Body& body, const Scope& scope);
    void add_reads(const Scope& scope, const Instruction& instruction, const HbmTraffic& traffic,
                   const std::set<int>& except, model::Op& op) const;
    bool is_argument(const Scope& scope, int value) const;
    std::vector<bool> arguments_of_loop(const Scope& scope, const Instruction& loop) const;
    const Assumption* assumption(const Instruction& instruction, const std::string& name) const;

    const Module& module_;
    const topologies::Machine& machine_;
    const XlaCosts& costs_;
    const LoweringOptions& options_;
    CollectiveLowering collectives_;
    Traffic traffic_;
    FusedWorks works_;
    Phases phases_;
};

} // namespace alxsim::hlo
