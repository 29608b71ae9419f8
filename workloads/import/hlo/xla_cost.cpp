// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/xla_cost.h"

#include "base/input_error.h"
#include "workloads/import/hlo/kernels.h"
#include "workloads/import/hlo/product.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Negative where a difference of damaged sizes is.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    return product(std::max<std::int64_t>(a, 0), b);
}

XlaCost scaled(const XlaCost& cost, std::int64_t by)
{
    return {product(cost.flops, by), product(cost.matmul_flops, by),
            product(cost.transcendentals, by), product(cost.bytes, by)};
}

XlaCost added(const XlaCost& a, const XlaCost& b)
{
    return {sum(a.flops, b.flops), sum(a.matmul_flops, b.matmul_flops),
            sum(a.transcendentals, b.transcendentals), sum(a.bytes, b.bytes)};
}

XlaCost dearest(const XlaCost& a, const XlaCost& b)
{
    return {std::max(a.flops, b.flops), std::max(a.matmul_flops, b.matmul_flops),
            std::max(a.transcendentals, b.transcendentals), std::max(a.bytes, b.bytes)};
}

/// Smallest n with 2^n >= number.
std::int64_t log2_up(std::int64_t number)
{
    std::int64_t bits = 0;
    while (bits < 62 && (std::int64_t{1} << bits) < number) {
        ++bits;
    }
    return bits;
}

const Shape& first_array(const Shape& shape)
{
    return shape.is_tuple() && !shape.elements.empty() ? first_array(shape.elements.front())
                                                       : shape;
}

std::int64_t bytes_of_operands(const Computation& computation, const Instruction& instruction,
                               std::size_t first = 0)
{
    std::int64_t bytes = 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
        bytes = sum(bytes, unpadded_bytes(*computation.operand(instruction, i).shape));
    }
    return bytes;
}

/// Reduces each element of its operand but one for each of its result.
std::int64_t reductions(const Computation& computation, const Instruction& instruction)
{
    return elements_of(*computation.operand(instruction, 0).shape) -
           elements_of(first_array(*instruction.shape));
}

std::vector<std::int64_t> window_sizes(const Instruction& instruction)
{
    for (const Attribute& field : fields_of(instruction.attribute("window"))) {
        if (field.name == "size") {
            std::string sizes(field.value);
            std::replace(sizes.begin(), sizes.end(), 'x', ' ');
            return numbers_in(sizes);
        }
    }
    return {};
}

std::int64_t window_elements(const Instruction& instruction)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : window_sizes(instruction)) {
        elements = times(size, elements);
    }
    return elements;
}

/// One less than the window holds, for each result. Of a window that sees all of a dimension from
/// each place, 2 n - 1 long (row maxima come as such), XLA counts none.
std::int64_t window_reductions(const Computation& computation, const Instruction& instruction)
{
    const Shape& input = *computation.operand(instruction, 0).shape;
    const std::vector<std::int64_t> sizes = window_sizes(instruction);
    for (std::size_t i = 0; i < std::min(sizes.size(), input.dims.size()); ++i) {
        if (sizes[i] > 1 && sizes[i] / 2 >= input.dims[i] - 1) {
            return 0;
        }
    }
    return times(window_elements(instruction) - 1, elements_of(first_array(*instruction.shape)));
}

/// As if each element were compared with all that are kept.
std::int64_t top_k_flops(const Computation& computation, const Instruction& instruction)
{
    const Shape& kept = first_array(*instruction.shape);
    if (without_quotes(instruction.attribute("custom_call_target")) != "TopK" ||
        kept.dims.empty() || instruction.operands.empty()) {
        return 0;
    }
    return times(elements_of(*computation.operand(instruction, 0).shape), kept.dims.back());
}

/// With other users that do so.
bool reads_whole(const Instruction& user, std::size_t operand)
{
    const bool in_part = user.is("dynamic-slice") || user.is("dynamic-update-slice");
    return !user.is("fusion") && !user.is("slice") && !user.is("broadcast") &&
           !user.is("reshape") && !(operand == 0 && in_part);
}

bool is_all_reduce(const Instruction& instruction)
{
    return instruction.is("all-reduce") || instruction.is("all-reduce-start");
}

std::string without_percent(const std::string& name)
{
    return name.rfind('%', 0) == 0 ? name.substr(1) : name;
}

} // namespace

XlaCosts::XlaCosts(const Module& module, const std::vector<TripCount>& trips,
                   const GivenBranches& branches)
    : module_(module)
{
    for (const TripCount& trip : trips) {
        const Computation& computation =
            module.computations[static_cast<std::size_t>(trip.computation)];
        trips_[&computation.instructions[static_cast<std::size_t>(trip.instruction)]] =
            trip.count.value_or(1);
    }
    for (const auto& [name, branch] : branches) {
        branches_[without_percent(name)] = branch;
    }
    std::map<std::string, std::int64_t> unknown = branches_;
    for (std::size_t i = 0; i < module.computations.size(); ++i) {
        add(static_cast<int>(i));
        for (const Instruction& instruction : module.computations[i].instructions) {
            if (instruction.is("conditional")) {
                unknown.erase(std::string(instruction.name));
            }
        }
    }
    if (!unknown.empty()) {
        throw InputError(module.file, "",
                         "found a branch for '" + unknown.begin()->first +
                             "'; allowed: names of conditionals");
    }
}

void XlaCosts::add(int index)
{
    const Computation& computation = module_.computations[static_cast<std::size_t>(index)];
    XlaCost once, with_trips;
    for (const Instruction& instruction : computation.instructions) {
        const XlaCost own = of(computation, instruction);
        const bool calls = instruction.is("while") || instruction.is("conditional") ||
                           instruction.is("call") || instruction.is("call-start") ||
                           instruction.is("async-start");
        once = added(once, own);
        with_trips = added(with_trips, calls ? of_calls(instruction, true) : own);
    }
    once_.push_back(once);
    with_trips_.push_back(with_trips);
    reads_.emplace_back();
    reads_.back() = parameter_reads(computation);
}

std::int64_t XlaCosts::trips_of(const Instruction& loop) const
{
    const auto found = trips_.find(&loop);
    return found == trips_.end() ? 1 : found->second;
}

bool XlaCosts::is_given(const Instruction& conditional) const
{
    return branches_.count(std::string(conditional.name)) > 0;
}

std::size_t XlaCosts::branch_of(const Instruction& conditional) const
{
    const auto given = branches_.find(std::string(conditional.name));
    if (given != branches_.end()) {
        const auto branches = static_cast<std::int64_t>(conditional.called.size());
        if (given->second < 0 || given->second >= branches) {
            module_.refuse(conditional, "found branch " + std::to_string(given->second) +
                                            "; allowed: 0 to " + std::to_string(branches - 1));
        }
        return static_cast<std::size_t>(given->second);
    }
    std::size_t chosen = 0;
    const auto price = [&](std::size_t i) {
        const XlaCost& cost = with_trips(conditional.called[i].computation);
        return std::pair(cost.flops, cost.bytes);
    };
    for (std::size_t i = 1; i < conditional.called.size(); ++i) {
        chosen = price(i) > price(chosen) ? i : chosen;
    }
    return chosen;
}

XlaCost XlaCosts::of_calls(const Instruction& instruction, bool trips) const
{
    const auto cost = [&](std::size_t i) -> const XlaCost& {
        const int called = instruction.called[i].computation;
        return trips ? with_trips(called) : once(called);
    };
    if (instruction.is("conditional") && trips) {
        return cost(branch_of(instruction));
    }
    XlaCost all;
    for (std::size_t i = 0; i < instruction.called.size(); ++i) {
        all = instruction.is("conditional") ? dearest(all, cost(i)) : added(all, cost(i));
    }
    return instruction.is("while") && trips ? scaled(all, trips_of(instruction)) : all;
}

XlaCost XlaCosts::of(const Computation& computation, const Instruction& instruction) const
{
    if (instruction.is("while") || instruction.is("conditional") || instruction.is("call") ||
        instruction.is("call-start") || instruction.is("async-start")) {
        return of_calls(instruction, false);
    }
    if (instruction.is("fusion")) {
        XlaCost cost = once(instruction.called.front().computation);
        cost.bytes = fusion_bytes(instruction);
        return cost;
    }
    XlaCost cost;
    cost.bytes = bytes_of(computation, instruction);
    if (is_product(instruction)) {
        cost.flops = cost.matmul_flops = product_of(module_, computation, instruction).flops;
    } else if (is_transcendental(instruction.opcode)) {
        cost.transcendentals = elements_of(*instruction.shape);
    } else if (instruction.is("custom-call")) {
        const KernelCost kernel = cost_estimate(module_, instruction).value_or(KernelCost());
        cost.flops = sum(kernel.flops, top_k_flops(computation, instruction));
        cost.transcendentals = kernel.transcendentals;
    } else {
        cost.flops = flops_of(computation, instruction);
    }
    return cost;
}

std::int64_t XlaCosts::flops_of(const Computation& computation,
                                const Instruction& instruction) const
{
    const auto per_call = [&] {
        return instruction.called.empty() ? std::int64_t{1}
                                          : once(instruction.called.back().computation).flops;
    };
    if (is_elementwise(instruction.opcode)) {
        return elements_of(*instruction.shape);
    }
    if (instruction.is("reduce")) {
        return times(reductions(computation, instruction), per_call());
    }
    if (instruction.is("reduce-window")) {
        return times(window_reductions(computation, instruction), per_call());
    }
    if (is_all_reduce(instruction)) {
        return elements_of(*instruction.shape);
    }
    if (instruction.is("scatter")) {
        const std::size_t updates = instruction.operands.size() - 1;
        return times(elements_of(*computation.operand(instruction, updates).shape), per_call());
    }
    if (instruction.is("map")) {
        return times(elements_of(*instruction.shape), per_call());
    }
    if (instruction.is("select-and-scatter")) {
        const std::int64_t places = elements_of(*computation.operand(instruction, 1).shape);
        return times(places, window_elements(instruction)); // one less compared, one added
    }
    if (instruction.is("sort")) {
        const std::int64_t n = elements_of(*computation.operand(instruction, 0).shape);
        return times(n, log2_up(n));
    }
    return 0;
}

std::int64_t XlaCosts::bytes_of(const Computation& computation,
                                const Instruction& instruction) const
{
    const auto shape_bytes = [&](std::size_t operand) {
        return unpadded_bytes(*computation.operand(instruction, operand).shape);
    };
    const std::int64_t result = unpadded_bytes(*instruction.shape);
    static const std::vector<std::string_view> none{"parameter",         "constant", "tuple",
                                                    "get-tuple-element", "bitcast",  "after-all",
                                                    "opt-barrier"};
    if (std::find(none.begin(), none.end(), instruction.opcode) != none.end()) {
        return 0;
    }
    if (instruction.is("copy-start") || instruction.is("collective-permute-start")) {
        return product(2, shape_bytes(0));
    }
    if (instruction.is("copy-done") || instruction.is("collective-permute-done")) {
        return product(2, result);
    }
    if (instruction.is("dynamic-update-slice-start")) {
        return product(2, shape_bytes(1));
    }
    if (instruction.is("slice-start") || instruction.is("dynamic-slice-start") ||
        instruction.is("dynamic-update-slice-done") || instruction.is("send-done")) {
        return 0; // counted at the other end
    }
    if (ends_with(instruction.opcode, "-done")) {
        return result;
    }
    if (instruction.is("slice") || instruction.is("gather") || instruction.is("dynamic-slice")) {
        return sum(product(2, result), bytes_of_operands(computation, instruction, 1));
    }
    if (instruction.is("dynamic-update-slice")) {
        return sum(product(2, shape_bytes(1)), bytes_of_operands(computation, instruction, 2));
    }
    if (instruction.is("scatter")) {
        return sum(product(3, shape_bytes(instruction.operands.size() - 1)), shape_bytes(1));
    }
    return sum(result, bytes_of_operands(computation, instruction));
}

/// What a fused computation reads of each of its parameters: slices of it what they take, once what
/// reads it whole, broadcasts and nested fusions each for itself.
std::vector<std::int64_t> XlaCosts::parameter_reads(const Computation& fused) const
{
    std::vector<int> parameter_at(fused.instructions.size(), -1);
    for (std::size_t i = 0; i < fused.parameters.size(); ++i) {
        parameter_at[static_cast<std::size_t>(fused.parameters[i])] = static_cast<int>(i);
    }
    std::vector<std::int64_t> reads(fused.parameters.size());
    std::vector<bool> read_whole(fused.parameters.size());
    for (const Instruction& user : fused.instructions) {
        for (std::size_t o = 0; o < user.operands.size(); ++o) {
            const int number = parameter_at[static_cast<std::size_t>(user.operands[o])];
            if (number < 0) {
                continue;
            }
            const auto parameter = static_cast<std::size_t>(number);
            const bool shares = reads_whole(user, o);
            if (!shares || !read_whole[parameter]) {
                reads[parameter] = sum(reads[parameter], bytes_read(fused, user, o));
            }
            read_whole[parameter] = read_whole[parameter] || shares;
        }
    }
    return reads;
}

/// By one of its users.
std::int64_t XlaCosts::bytes_read(const Computation& fused, const Instruction& user,
                                  std::size_t operand) const
{
    if (user.is("fusion")) {
        return reads_[static_cast<std::size_t>(user.called[0].computation)][operand];
    }
    if (user.is("slice") || (operand == 0 && user.is("dynamic-slice"))) {
        return unpadded_bytes(*user.shape);
    }
    if (operand == 0 && user.is("dynamic-update-slice")) {
        return unpadded_bytes(*fused.operand(user, 1).shape);
    }
    return unpadded_bytes(*fused.operand(user, operand).shape);
}

std::int64_t XlaCosts::result_writes(const Computation& fused, const Instruction& result) const
{
    if (result.is("tuple")) {
        std::int64_t bytes = 0;
        for (std::size_t i = 0; i < result.operands.size(); ++i) {
            bytes = sum(bytes, result_writes(fused, fused.operand(result, i)));
        }
        return bytes;
    }
    if (result.is("dynamic-update-slice")) {
        return unpadded_bytes(*fused.operand(result, 1).shape);
    }
    return unpadded_bytes(*result.shape);
}

std::int64_t XlaCosts::fusion_bytes(const Instruction& fusion) const
{
    const auto index = static_cast<std::size_t>(fusion.called.front().computation);
    const Computation& fused = module_.computations[index];
    std::int64_t bytes = result_writes(fused, fused.root_instruction());
    for (const std::int64_t read : reads_[index]) {
        bytes = sum(bytes, read);
    }
    return bytes;
}

} // namespace alxsim::hlo
