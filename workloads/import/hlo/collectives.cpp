// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/collectives.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/operation_names.h"

#include <array>
#include <set>
#include <utility>

namespace alxsim::hlo {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kinds{{
    {"all-gather", "all_gather"},
    {"all-gather-start", "all_gather"},
    {"all-reduce", "all_reduce"},
    {"all-reduce-start", "all_reduce"},
    {"reduce-scatter", "reduce_scatter"},
    {"reduce-scatter-start", "reduce_scatter"},
    {"all-to-all", "all_to_all"},
    {"all-to-all-start", "all_to_all"},
    {"collective-permute", "permute"},
    {"collective-permute-start", "permute"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> megascale_kinds{{
    {"ALL_REDUCE", "all_reduce"},
    {"ALL_GATHER", "all_gather"},
    {"REDUCE_SCATTER", "reduce_scatter"},
    {"ALL_TO_ALL", "all_to_all"},
    {"ONE_TO_ONE", "permute"},
}};

template <class Kinds>
std::string_view kind_named(const Kinds& all, std::string_view name)
{
    for (const auto& [text, kind] : all) {
        if (text == name) {
            return kind;
        }
    }
    return {};
}

std::int64_t operand_bytes(const Computation& computation, const Instruction& instruction)
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        bytes = sum(bytes, unpadded_bytes(*computation.operand(instruction, i).shape));
    }
    return bytes;
}

/// A gather's result; of a -start the second of (operand, result).
std::int64_t gathered_bytes(const Instruction& instruction)
{
    const Shape& shape = *instruction.shape;
    const bool started = instruction.is("all-gather-start") && shape.elements.size() >= 2;
    return unpadded_bytes(started ? shape.elements[1] : shape);
}

Collective plain(const Computation& computation, const Instruction& instruction,
                 std::string_view kind)
{
    return {kind,
            kind == "all_gather" ? gathered_bytes(instruction)
                                 : operand_bytes(computation, instruction),
            false, &instruction, &computation};
}

/// What stands in a fused computation, nested ones included.
struct Fused {
    const Computation* computation = nullptr; ///< where its collective stands
    const Instruction* collective = nullptr;  ///< the one that it begins, else its first
    bool begins = false;                      ///< an asynchronous collective
    bool carries = false;                     ///< or ends one that another has begun
    bool slices = false;
    std::set<const Computation*> seen; ///< each is looked into once, however often it is called
};

void look_at_custom_call(const Computation& computation, const Instruction& instruction,
                         Fused& found)
{
    const std::string_view target = without_quotes(instruction.attribute("custom_call_target"));
    found.carries |= target == "AsyncCollectiveDone";
    if (target != "AsyncCollectiveStart") {
        return;
    }
    found.begins = true;
    if (!instruction.operands.empty() &&
        !kind_named(kinds, computation.operand(instruction, 0).opcode).empty()) {
        found.computation = &computation;
        found.collective = &computation.operand(instruction, 0);
    }
}

void look_into(const Module& module, const Computation& computation, Fused& found)
{
    if (!found.seen.insert(&computation).second) {
        return;
    }
    found.carries |= begins_with(computation.name, "async_collective_fusion");
    for (const Instruction& instruction : computation.instructions) {
        if (instruction.is("fusion")) {
            look_into(module, module.called(instruction), found);
        } else if (instruction.is("custom-call")) {
            look_at_custom_call(computation, instruction, found);
        } else if (instruction.is("dynamic-slice")) {
            found.slices = true;
        } else if (found.collective == nullptr && !kind_named(kinds, instruction.opcode).empty()) {
            found.computation = &computation;
            found.collective = &instruction;
        }
    }
}

std::optional<Collective> of_fusion(const Module& module, const Instruction& fusion)
{
    Fused found;
    look_into(module, module.called(fusion), found);
    if (found.collective == nullptr || (found.carries && !found.begins)) {
        return std::nullopt;
    }
    Collective issued =
        plain(*found.computation, *found.collective, kind_named(kinds, found.collective->opcode));
    if (issued.kind == "all_reduce" && found.slices && !found.begins) {
        issued.kind = "reduce_scatter";
    }
    return issued;
}

/// A field of frontend_attributes, without quotes.
std::string_view frontend_attribute(const Instruction& instruction, std::string_view name)
{
    const std::string_view all = instruction.attribute("frontend_attributes");
    if (all.find(name) == std::string_view::npos) {
        return {};
    }
    for (const Attribute& field : fields_of(all)) {
        if (field.name == name) {
            return without_quotes(field.value);
        }
    }
    return {};
}

std::optional<Collective> of_transfer(const Module& module, const Computation& computation,
                                      const Instruction& instruction)
{
    const std::string_view type = frontend_attribute(instruction, "_xla_megascale_transfer_type");
    if (type.empty()) {
        return std::nullopt;
    }
    const std::string_view kind = kind_named(megascale_kinds, type);
    if (kind.empty()) {
        module.refuse(instruction, "found _xla_megascale_transfer_type '" + std::string(type) +
                                       "'; allowed: ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, "
                                       "ALL_TO_ALL, ONE_TO_ONE");
    }
    if ((kind == "all_gather") != instruction.is("recv")) {
        return std::nullopt;
    }
    const Shape& moved = instruction.is("send") ? *computation.operand(instruction, 0).shape
                         : instruction.shape->elements.empty() ? *instruction.shape
                                                               : instruction.shape->elements[0];
    return Collective{kind, unpadded_bytes(moved), true, &instruction, &computation};
}

/// Where a copy's source or destination lies.
int space_of(const Shape& shape)
{
    const std::vector<const Shape*> leaves = leaves_of(shape);
    return leaves.empty() ? space::hbm : leaves.front()->memory_space;
}

bool is_callback(const Instruction& instruction)
{
    return instruction.attribute("is_host_transfer") == "true" &&
           frontend_attribute(instruction, "_xla_megascale_transfer_type").empty();
}

} // namespace

std::optional<Collective> collective_of(const Module& module, const Computation& computation,
                                        const Instruction& instruction)
{
    if (instruction.is("fusion")) {
        return of_fusion(module, instruction);
    }
    if (instruction.is("send") || instruction.is("recv")) {
        return of_transfer(module, computation, instruction);
    }
    const std::string_view kind = kind_named(kinds, instruction.opcode);
    return kind.empty() ? std::nullopt
                        : std::optional<Collective>(plain(computation, instruction, kind));
}

HostTransfer host_transfer_of(const Computation& computation, const Instruction& instruction)
{
    if ((instruction.is("send") || instruction.is("recv")) && is_callback(instruction)) {
        return instruction.is("send") ? HostTransfer::to_host : HostTransfer::from_host;
    }
    const bool starts = instruction.is("copy-start") || instruction.is("slice-start") ||
                        instruction.is("dynamic-slice-start") ||
                        instruction.is("dynamic-update-slice-start");
    const bool moves = starts || instruction.is("copy") || instruction.is("slice") ||
                       instruction.is("dynamic-slice") || instruction.is("dynamic-update-slice");
    if (!moves) {
        return HostTransfer::none;
    }
    const bool updates = begins_with(instruction.opcode, "dynamic-update-slice");
    const Shape& source = *computation.operand(instruction, updates ? 1 : 0).shape;
    const Shape* destination = instruction.shape;
    if (starts && destination->elements.size() >= 2) {
        destination = &destination->elements[instruction.is("copy-start") ? 0 : 1];
    }
    const bool from = space_of(source) == space::host;
    const bool to = space_of(*destination) == space::host;
    return from == to ? HostTransfer::none : to ? HostTransfer::to_host : HostTransfer::from_host;
}

std::int64_t host_transfer_bytes(const Computation& computation, const Instruction& instruction)
{
    if (instruction.is("recv")) {
        return instruction.shape->elements.empty()
                   ? 0
                   : unpadded_bytes(instruction.shape->elements.front());
    }
    if (begins_with(instruction.opcode, "dynamic-update-slice")) {
        return unpadded_bytes(*computation.operand(instruction, 1).shape);
    }
    if (instruction.is("slice-start") || instruction.is("dynamic-slice-start")) {
        return instruction.shape->elements.size() < 2
                   ? 0
                   : unpadded_bytes(instruction.shape->elements[1]);
    }
    if (instruction.is("slice") || instruction.is("dynamic-slice")) {
        return unpadded_bytes(*instruction.shape);
    }
    return unpadded_bytes(*computation.operand(instruction, 0).shape);
}

} // namespace alxsim::hlo
