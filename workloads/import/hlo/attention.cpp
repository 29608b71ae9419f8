// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/attention.h"

#include "workloads/import/hlo/text/counting.h"

#include <algorithm>
#include <vector>

namespace alxsim::hlo {
namespace {

/// [.., positions, size] of numbers that are multiplied.
bool is_of_heads(const Shape& shape)
{
    const std::string_view name = name_of(shape.dtype);
    return shape.is_array() && shape.dims.size() >= 3 && (name.front() == 'f' || name == "bf16");
}

std::int64_t positions_of(const Shape& shape)
{
    return shape.dims[shape.dims.size() - 2];
}
std::int64_t size_of(const Shape& shape)
{
    return shape.dims.back();
}

/// A gradient: of all of `of`, or a part of it for each block.
bool is_like(const Shape& shape, const Shape& of)
{
    return is_of_heads(shape) && positions_of(shape) == positions_of(of) &&
           size_of(shape) == size_of(of) && elements_of(shape) >= elements_of(of);
}

std::int64_t gradients_of(const Instruction& instruction, const Shape& queries, const Shape& keys)
{
    const std::vector<const Shape*> results = leaves_of(*instruction.shape);
    return std::count_if(results.begin(), results.end(), [&](const Shape* result) {
        return is_like(*result, queries) || is_like(*result, keys);
    });
}

} // namespace

std::optional<AttentionKernel> attention_kernel(const Computation& computation,
                                                const Instruction& instruction)
{
    AttentionKernel kernel;
    kernel.bytes = unpadded_bytes(*instruction.shape);
    std::vector<const Shape*> heads;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Shape& operand = *computation.operand(instruction, i).shape;
        kernel.bytes = sum(kernel.bytes, unpadded_bytes(operand));
        if (is_of_heads(operand)) {
            heads.push_back(&operand);
        }
    }
    if (heads.size() < 3) {
        return std::nullopt;
    }
    const Shape& queries = *heads[0];
    const Shape& keys = *heads[1];
    kernel.size = size_of(queries);
    if (size_of(keys) != kernel.size || positions_of(*heads[2]) != positions_of(keys) ||
        kernel.size == 0 || elements_of(queries) == 0) {
        return std::nullopt;
    }
    kernel.scores = product(elements_of(queries) / kernel.size, positions_of(keys));
    const bool backward = std::any_of(heads.begin() + 3, heads.end(), [&](const Shape* operand) {
        return operand->dtype == queries.dtype && operand->dims == queries.dims;
    });
    const std::int64_t gradients = backward ? gradients_of(instruction, queries, keys) : 0;
    if (backward && (gradients < 1 || gradients > 3)) {
        return std::nullopt;
    }
    kernel.products = 2 + static_cast<int>(gradients);
    return kernel;
}

KernelCost cost_of(const AttentionKernel& kernel, bool causal)
{
    const std::int64_t scores = causal ? kernel.scores / 2 : kernel.scores;
    KernelCost cost;
    cost.flops = product(product(scores, kernel.size), 2 * kernel.products);
    cost.transcendentals = scores;
    cost.bytes_accessed = kernel.bytes;
    return cost;
}

} // namespace alxsim::hlo
