// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/aliases.h"

#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/operation_names.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

/// Where the leaves of each operand begin, and behind the last one their number.
std::vector<std::size_t> operand_begins(const Computation& computation,
                                        const Instruction& instruction)
{
    std::vector<std::size_t> begins{0};
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        begins.push_back(begins.back() + computation.operand(instruction, i).shape->leaves);
    }
    return begins;
}

std::vector<Alias> run_of(std::size_t result, std::size_t operand, std::size_t leaves)
{
    std::vector<Alias> all;
    for (std::size_t i = 0; i < leaves; ++i) {
        all.push_back({result + i, operand + i, true});
    }
    return all;
}

/// The result holds its operands first, then what is new: (operand, result, context).
std::vector<Alias> of_start(const Instruction& instruction, std::size_t operand_leaves)
{
    if (instruction.is("copy-start")) { // (destination, source, context)
        return instruction.shape->leaves >= 2 ? run_of(1, 0, 1) : std::vector<Alias>();
    }
    const Shape& shape = *instruction.shape;
    const std::size_t held =
        shape.is_tuple() && !shape.elements.empty() ? shape.elements.front().leaves : 0;
    if (held != operand_leaves) {
        return {};
    }
    std::vector<Alias> all = run_of(0, 0, held);
    if (instruction.is("dynamic-update-slice-start") && shape.leaves > held) {
        all.push_back({held, 0, true});
    }
    return all;
}

/// Returns of (operand, result, context) the result; of a copy-start the first.
std::vector<Alias> of_done(const Computation& computation, const Instruction& instruction)
{
    const Shape& started = *computation.operand(instruction, 0).shape;
    const std::size_t wanted = instruction.shape->leaves;
    if (!started.is_tuple()) {
        return started.leaves == wanted ? run_of(0, 0, wanted) : std::vector<Alias>();
    }
    const bool first = instruction.is("copy-done") || instruction.is("recv-done") ||
                       instruction.is("send-done") || started.elements.size() < 2;
    const std::size_t begin = first ? 0 : first_leaf(started, 1);
    return begin < started.leaves ? run_of(0, begin, std::min(wanted, started.leaves - begin))
                                  : std::vector<Alias>();
}

std::size_t leaf_at(const Shape& shape, const std::vector<std::int64_t>& index)
{
    const Shape* at = &shape;
    std::size_t leaf = 0;
    for (const std::int64_t i : index) {
        if (i < 0 || i >= static_cast<std::int64_t>(at->elements.size())) {
            break;
        }
        leaf += first_leaf(*at, static_cast<std::size_t>(i));
        at = &at->elements[static_cast<std::size_t>(i)];
    }
    return leaf;
}

/// {{0}: (1, {}), {2}: (0, {1})}: pairs of what stands in braces before a colon and in parentheses
/// behind it.
template <class Use>
void for_each_alias(std::string_view text, const Use& use)
{
    std::size_t at = 1;
    while (at < text.size()) {
        const std::size_t open = text.find('{', at);
        const std::size_t close = text.find('}', open);
        const std::size_t begin = text.find('(', close);
        const std::size_t end = text.find(')', begin);
        if (end == std::string_view::npos) {
            return;
        }
        const std::vector<std::int64_t> target = numbers_in(text.substr(begin, end - begin));
        if (!target.empty() && target.front() >= 0) {
            use(numbers_in(text.substr(open, close - open)), target);
        }
        at = end + 1;
    }
}

void add_named(const Computation& computation, const Instruction& instruction,
               const std::vector<std::size_t>& begins, std::vector<Alias>& all)
{
    const std::string_view named = instruction.attribute("output_to_operand_aliasing");
    if (named.empty()) {
        return;
    }
    for_each_alias(named, [&](const auto& output, const auto& target) {
        const auto operand = static_cast<std::size_t>(target.front());
        if (operand + 1 < begins.size()) {
            const std::vector<std::int64_t> inside(target.begin() + 1, target.end());
            const Shape& shape = *computation.operand(instruction, operand).shape;
            all.push_back({leaf_at(*instruction.shape, output),
                           begins[operand] + leaf_at(shape, inside), true});
        }
    });
}

/// {"lists":[{"indices":["0","3"]}]}: operands first, results behind them.
void add_offered(const Instruction& instruction, std::size_t operand_leaves,
                 std::vector<Alias>& all)
{
    std::string_view lists =
        json_member(instruction.attribute("backend_config"), "aliasing_operands");
    for (std::size_t at = lists.find("\"indices\""); at != std::string_view::npos;
         at = lists.find("\"indices\"", at + 1)) {
        const std::vector<std::int64_t> indices =
            numbers_in(lists.substr(at, lists.find(']', at) - at));
        for (std::size_t i = 1; i < indices.size(); ++i) {
            const std::int64_t result = indices[i] - static_cast<std::int64_t>(operand_leaves);
            if (indices[0] >= 0 && result >= 0) {
                all.push_back({static_cast<std::size_t>(result),
                               static_cast<std::size_t>(indices[0]), false});
            }
        }
    }
}

/// Follows what a fused computation gives to a parameter that it updates in place.
std::optional<std::size_t> updated_parameter(const Module& module, const Computation& fused,
                                             const Instruction* value, int depth)
{
    bool updated = false;
    while (depth < 100) {
        if (value->is("dynamic-update-slice") || value->is("scatter")) {
            updated = true;
            value = &fused.operand(*value, 0);
        } else if (value->is("bitcast")) {
            value = &fused.operand(*value, 0);
        } else if (value->is("fusion") && !value->shape->is_tuple()) {
            const Computation& inner = module.called(*value);
            const auto parameter =
                updated_parameter(module, inner, &inner.root_instruction(), depth + 1);
            if (!parameter) {
                return std::nullopt;
            }
            updated = true;
            value = &fused.operand(*value, *parameter);
        } else {
            break;
        }
        ++depth;
    }
    if (!updated || !value->is("parameter")) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(whole_number(value->arguments).value_or(0));
}

void add_updated(const Module& module, const Instruction& fusion,
                 const std::vector<std::size_t>& begins, std::vector<Alias>& all)
{
    const Computation& fused = module.called(fusion);
    const Instruction& root = fused.root_instruction();
    const std::size_t results = root.is("tuple") ? root.operands.size() : 1;
    std::size_t leaf = 0;
    for (std::size_t i = 0; i < results; ++i) {
        const Instruction& result = root.is("tuple") ? fused.operand(root, i) : root;
        const auto parameter = updated_parameter(module, fused, &result, 0);
        if (parameter && result.shape->leaves == 1) {
            all.push_back({leaf, begins[*parameter], true});
        }
        leaf += result.shape->leaves;
    }
}

/// A branch that gives back what it was given may leave it where it is.
void add_passed_on(const Module& module, const Instruction& conditional,
                   const std::vector<std::size_t>& begins, std::vector<Alias>& all)
{
    for (std::size_t i = 0; i < conditional.called.size(); ++i) {
        const Instruction& root = module.called(conditional, i).root_instruction();
        if (!root.is("parameter")) {
            continue;
        }
        for (std::size_t leaf = 0; leaf < root.shape->leaves; ++leaf) {
            all.push_back({leaf, begins[i + 1] + leaf, false});
        }
    }
}

/// Without what leads outside, each result once, the first that names it.
std::vector<Alias> tidied(std::vector<Alias> all, std::size_t results, std::size_t operands)
{
    std::vector<bool> taken(results);
    std::vector<Alias> tidy;
    for (const Alias& one : all) {
        if (one.result_leaf < results && one.operand_leaf < operands && !taken[one.result_leaf]) {
            taken[one.result_leaf] = true;
            tidy.push_back(one);
        }
    }
    return tidy;
}

std::vector<Alias> named_aliases(const Module& module, const Computation& computation,
                                 const Instruction& instruction,
                                 const std::vector<std::size_t>& begins)
{
    if (instruction.is("tuple") || instruction.is("bitcast") || instruction.is("opt-barrier") ||
        instruction.is("while")) {
        return run_of(0, 0, begins.back());
    }
    if (instruction.is("get-tuple-element")) {
        const auto index = static_cast<std::size_t>(*whole_number(instruction.attribute("index")));
        return run_of(0, first_leaf(*computation.operand(instruction, 0).shape, index),
                      instruction.shape->leaves);
    }
    if (ends_with(instruction.opcode, "-done")) {
        return instruction.operands.empty() ? std::vector<Alias>()
                                            : of_done(computation, instruction);
    }
    if (ends_with(instruction.opcode, "-start")) {
        return of_start(instruction, begins.back());
    }
    std::vector<Alias> all;
    add_named(computation, instruction, begins, all);
    if (instruction.is("dynamic-update-slice") || instruction.is("scatter")) {
        all.push_back({0, 0, true});
    } else if (instruction.is("send")) {
        all.push_back({0, 0, true});
    } else if (instruction.is("conditional")) {
        add_passed_on(module, instruction, begins, all);
    } else if (instruction.is("fusion")) {
        add_updated(module, instruction, begins, all);
    }
    add_offered(instruction, begins.back(), all);
    return all;
}

} // namespace

std::vector<Alias> aliases_of(const Module& module, const Computation& computation,
                              const Instruction& instruction)
{
    const std::vector<std::size_t> begins = operand_begins(computation, instruction);
    return tidied(named_aliases(module, computation, instruction, begins),
                  instruction.shape->leaves, begins.back());
}

std::vector<DonatedOutput> donated_outputs(const Module& module)
{
    std::vector<DonatedOutput> outputs;
    const Computation& entry = module.entry_computation();
    for_each_alias(module.config_value("input_output_alias"), [&](const auto& output,
                                                                  const auto& target) {
        const auto parameter = static_cast<std::size_t>(target.front());
        const std::size_t leaf = leaf_at(*entry.root_instruction().shape, output);
        if (parameter < entry.parameters.size() && leaf < entry.root_instruction().shape->leaves) {
            outputs.push_back({leaf, parameter});
        }
    });
    return outputs;
}

} // namespace alxsim::hlo
