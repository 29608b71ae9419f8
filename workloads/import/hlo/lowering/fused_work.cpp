// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/fused_work.h"

#include "workloads/import/hlo/lowering/demand.h"
#include "workloads/import/hlo/lowering/traffic.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <algorithm>
#include <unordered_set>

namespace alxsim::hlo {
namespace {

using Opcodes = std::unordered_set<std::string_view>;

const Shape& one_array(const Shape& shape)
{
    return shape.is_tuple() && !shape.elements.empty() ? one_array(shape.elements.front()) : shape;
}

/// Adds `elements` operations of the class that an opcode is of. Classes are those of the chips'
/// code (facts of libtpu's bundles, tests/oracle/xla/README.md).
void add_operations(std::string_view opcode, double elements, FusedWork& work)
{
    static const Opcodes medium{
        "exponential", "exponential-minus-one", "log", "log-plus-one", "tanh", "logistic"};
    static const Opcodes divisions{"divide", "sqrt", "rsqrt", "cbrt", "remainder"};
    static const Opcodes powers{"power", "erf", "atan2"};
    static const Opcodes expensive{"sine", "cosine", "tan"};
    work.operations += elements;
    if (medium.count(opcode) > 0) {
        work.medium += elements;
    } else if (divisions.count(opcode) > 0) {
        work.divisions += elements;
    } else if (powers.count(opcode) > 0) {
        work.powers += elements;
    } else if (expensive.count(opcode) > 0) {
        work.expensive += elements;
    }
}

/// Where a dimension stands from the minor one on: 0 is minor, 1 along sublanes.
std::size_t place_of_dimension(const Shape& shape, std::int64_t dimension)
{
    if (shape.minor_to_major.empty()) {
        return shape.dims.size() - 1 - static_cast<std::size_t>(dimension);
    }
    const auto found =
        std::find(shape.minor_to_major.begin(), shape.minor_to_major.end(), dimension);
    return static_cast<std::size_t>(found - shape.minor_to_major.begin());
}

/// Dimensions that a reduce or a reduce-window of all of them takes together.
std::vector<std::int64_t> reduced_dimensions(const Instruction& reduction, const Shape& operand)
{
    if (reduction.is("reduce")) {
        return numbers_in(reduction.attribute("dimensions"));
    }
    std::vector<std::int64_t> dimensions;
    for (const Attribute& field : fields_of(reduction.attribute("window"))) {
        if (field.name != "size") {
            continue;
        }
        std::string sizes(field.value);
        std::replace(sizes.begin(), sizes.end(), 'x', ' ');
        const std::vector<std::int64_t> numbers = numbers_in(sizes);
        for (std::size_t i = 0; i < std::min(numbers.size(), operand.dims.size()); ++i) {
            if (numbers[i] > 1) {
                dimensions.push_back(static_cast<std::int64_t>(i));
            }
        }
    }
    return dimensions;
}

/// A window of n with n - 1 of padding before: sums from the first to each.
bool is_cumulative(const Instruction& instruction, const Shape& operand)
{
    if (!instruction.is("reduce-window") || instruction.called.empty()) {
        return false;
    }
    const std::vector<std::int64_t> dimensions = reduced_dimensions(instruction, operand);
    if (dimensions.size() != 1) {
        return false;
    }
    const std::int64_t length = operand.dims[static_cast<std::size_t>(dimensions.front())];
    const std::string pad = std::to_string(length - 1) + "_0";
    for (const Attribute& field : fields_of(instruction.attribute("window"))) {
        if (field.name == "pad") {
            return field.value.find(pad) != std::string_view::npos;
        }
    }
    return false;
}

bool is_of_rows(const Computation& computation, const Instruction& instruction)
{
    if (instruction.is("sort") || instruction.is("gather") || instruction.is("scatter")) {
        return true;
    }
    if (instruction.operands.empty()) {
        return false;
    }
    const bool pairs = instruction.is("reduce") && instruction.operands.size() == 4;
    return pairs || is_cumulative(instruction, *computation.operand(instruction, 0).shape);
}

} // namespace

int minor_dimension(const Shape& shape)
{
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
        const int dimension = shape.minor_to_major.empty()
                                  ? static_cast<int>(shape.dims.size() - 1 - i)
                                  : shape.minor_to_major[i];
        if (shape.dims[static_cast<std::size_t>(dimension)] > 1) {
            return dimension;
        }
    }
    return -1;
}

bool turns_rows(const Computation& computation, const Instruction& instruction)
{
    if ((!instruction.is("copy") && !instruction.is("transpose")) ||
        !instruction.shape->is_array()) {
        return false;
    }
    const int before = minor_dimension(*computation.operand(instruction, 0).shape);
    int after = minor_dimension(*instruction.shape);
    if (instruction.is("transpose") && after >= 0) {
        const std::vector<std::int64_t> from = numbers_in(instruction.attribute("dimensions"));
        after = static_cast<std::size_t>(after) < from.size()
                    ? static_cast<int>(from[static_cast<std::size_t>(after)])
                    : after;
    }
    return before >= 0 && after >= 0 && before != after;
}

FusedWork FusedWorks::of(const Computation& computation, const Instruction& instruction)
{
    if (instruction.is("fusion")) { // tables are its operands: its computation's parameters
        return of_computation(instruction.called.front().computation);
    }
    FusedWork work;
    add(computation, instruction, elements_of(one_array(*instruction.shape)), work);
    return work;
}

const FusedWork& FusedWorks::of_computation(int computation)
{
    const auto known = known_.find(computation);
    if (known != known_.end()) {
        return known->second;
    }
    FusedWork work;
    const Computation& fused = module_.computations[static_cast<std::size_t>(computation)];
    const std::vector<std::int64_t> demand = demanded_elements(fused);
    for (std::size_t i = 0; i < fused.instructions.size(); ++i) {
        add(fused, fused.instructions[i], demand[i], work);
    }
    return known_[computation] = std::move(work);
}

double FusedWorks::operations_called(const Instruction& instruction) const
{
    double operations = 0;
    for (const Called& called : instruction.called) {
        const Computation& one = module_.computations[static_cast<std::size_t>(called.computation)];
        for (const Instruction& inner : one.instructions) {
            operations += is_elementwise(inner.opcode) ? 1 : 0;
        }
    }
    return std::max(1.0, operations);
}

void FusedWorks::add_nested(const Computation& computation, const Instruction& fusion,
                            FusedWork& work)
{
    FusedWork nested = of_computation(fusion.called.front().computation);
    work.products.insert(work.products.end(), nested.products.begin(), nested.products.end());
    work.operations += nested.operations;
    work.medium += nested.medium;
    work.divisions += nested.divisions;
    work.powers += nested.powers;
    work.expensive += nested.expensive;
    work.short_operations += nested.short_operations;
    work.elements = std::max(work.elements, nested.elements);
    work.transposed = sum(work.transposed, nested.transposed);
    if (nested.summed_elements > work.summed_elements) {
        work.summed_elements = nested.summed_elements;
        work.along = nested.along;
        work.minor = nested.minor;
    }
    for (RowWork& row : nested.rows) {
        row.table = row.table < 0
                        ? -1
                        : parameter_behind(computation,
                                           fusion.operands[static_cast<std::size_t>(row.table)]);
        work.rows.push_back(row);
    }
    work.begins_collective |= nested.begins_collective;
    work.ends_collective |= nested.ends_collective;
    work.kernels.insert(work.kernels.end(), nested.kernels.begin(), nested.kernels.end());
}

void FusedWorks::add_custom_call(const Computation& computation, const Instruction& call,
                                 FusedWork& work)
{
    const std::string_view target = without_quotes(call.attribute("custom_call_target"));
    work.begins_collective |= target == "AsyncCollectiveStart";
    work.ends_collective |= target == "AsyncCollectiveDone";
    if (target == "TopK" && !call.operands.empty()) {
        work.rows.push_back({&computation, &call, -1, false});
    } else if (target == "PartialReduce" && !call.operands.empty()) {
        const Shape& operand = *computation.operand(call, 0).shape;
        work.operations += 2.0 * static_cast<double>(elements_of(operand)); // compared, selected
        work.elements = std::max(work.elements, elements_of(operand));
    } else if (!is_free_custom_call(target)) {
        work.kernels.push_back(&call);
    }
}

/// One along lanes or sublanes takes folds of registers; along others it is as element by element.
void FusedWorks::add_reduction(const Computation& computation, const Instruction& reduction,
                               FusedWork& work)
{
    const Shape& operand = one_array(*computation.operand(reduction, 0).shape);
    const std::int64_t elements = elements_of(operand);
    work.operations += operations_called(reduction) * static_cast<double>(elements);
    work.elements = std::max(work.elements, elements);
    model::Reduction along = model::Reduction::none;
    for (const std::int64_t dimension : reduced_dimensions(reduction, operand)) {
        if (dimension < 0 || static_cast<std::size_t>(dimension) >= operand.dims.size() ||
            operand.dims[static_cast<std::size_t>(dimension)] == 1) {
            continue;
        }
        const std::size_t place = place_of_dimension(operand, dimension);
        if (place == 0) {
            along = model::Reduction::lanes;
        } else if (place == 1 && along == model::Reduction::none) {
            along = model::Reduction::sublanes;
        }
    }
    if (along != model::Reduction::none && elements > work.summed_elements) {
        work.summed_elements = elements;
        work.along = along;
        const int minor = minor_dimension(operand);
        work.minor = along == model::Reduction::lanes && minor >= 0
                         ? operand.dims[static_cast<std::size_t>(minor)]
                         : 0;
    }
}

void FusedWorks::add(const Computation& computation, const Instruction& instruction,
                     std::int64_t elements, FusedWork& work)
{
    const auto each = static_cast<double>(elements);
    if (instruction.is("fusion")) {
        add_nested(computation, instruction, work);
    } else if (is_product(instruction)) {
        work.products.push_back(product_of(module_, computation, instruction));
    } else if (instruction.is("custom-call")) {
        add_custom_call(computation, instruction, work);
    } else if (is_of_rows(computation, instruction)) {
        work.rows.push_back({&computation, &instruction,
                             parameter_behind(computation, instruction.operands[0]),
                             instruction.is("scatter") && !instruction.called.empty() &&
                                 !module_.called(instruction).root_instruction().is("parameter")});
    } else if (instruction.is("reduce") || instruction.is("reduce-window")) {
        add_reduction(computation, instruction, work);
    } else if (is_elementwise(instruction.opcode) || instruction.is("map")) {
        add_operations(instruction.opcode, each, work);
        work.elements = std::max(work.elements, elements);
        const bool is_short = instruction.shape->dtype == DType::bf16;
        work.short_operations += is_short && !instruction.is("convert") ? each : 0;
    } else if (instruction.is("pad") || instruction.is("concatenate") ||
               instruction.is("reverse") || instruction.is("select-and-scatter")) {
        work.operations += each; // a selection between what comes from here and there
        work.elements = std::max(work.elements, elements);
    } else if (turns_rows(computation, instruction)) {
        work.transposed = sum(work.transposed, elements);
    }
}

} // namespace alxsim::hlo
