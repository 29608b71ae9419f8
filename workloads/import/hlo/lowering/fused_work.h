// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "workloads/import/hlo/product.h"
#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <map>
#include <vector>

namespace alxsim::hlo {

/// Work along rows (gather, scatter, sort, ..) in a computation.
struct RowWork {
    const Computation* computation = nullptr; ///< where it stands
    const Instruction* instruction = nullptr;
    /// For a gather or scatter, the parameter of the computation looked at that its table is; -1:
    /// none, what is computed before it.
    int table = -1;
    bool adds = false; ///< of a scatter: to what is there, in place of overwriting it
};

/// What is computed in an instruction, that of all nested fusions included. Operations are those of
/// all elements together.
struct FusedWork {
    std::vector<Product> products;
    double operations = 0; ///< element by element, those of the next four included
    double medium = 0, divisions = 0, powers = 0, expensive = 0;
    double short_operations = 0;      ///< of them, on bf16 as it is
    std::int64_t elements = 0;        ///< of the largest array that is worked on
    std::int64_t transposed = 0;      ///< elements whose last dimension becomes another
    std::int64_t summed_elements = 0; ///< of the largest reduction along lanes or sublanes
    model::Reduction along = model::Reduction::none;
    std::int64_t minor = 0; ///< of that, along lanes: how long a row is
    std::vector<RowWork> rows;
    bool begins_collective = false;          ///< AsyncCollectiveStart stands in it
    bool ends_collective = false;            ///< AsyncCollectiveDone does
    std::vector<const Instruction*> kernels; ///< custom calls that compute
};

/// Looks into each fused computation once.
class FusedWorks {
public:
    explicit FusedWorks(const Module& module) : module_(module) {}

    /// A fusion, or an instruction by itself.
    FusedWork of(const Computation& computation, const Instruction& instruction);
    const FusedWork& of_computation(int computation);

private:
    /// `elements`: of its result, those that are computed.
    void add(const Computation& computation, const Instruction& instruction, std::int64_t elements,
             FusedWork& work);
    void add_nested(const Computation& computation, const Instruction& fusion, FusedWork& work);
    void add_custom_call(const Computation& computation, const Instruction& call, FusedWork& work);
    void add_reduction(const Computation& computation, const Instruction& reduction,
                       FusedWork& work);
    double operations_called(const Instruction& instruction) const;

    const Module& module_;
    std::map<int, FusedWork> known_;
};

/// The dimension whose elements lie side by side, of those longer than 1; -1: none is.
int minor_dimension(const Shape& shape);

/// Whether a copy or transpose makes another dimension the minor one, so that rows become columns.
bool turns_rows(const Computation& computation, const Instruction& instruction);

} // namespace alxsim::hlo
