// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/live_memory.h"

#include "workloads/import/hlo/aliases.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace alxsim::hlo {
namespace {

/// Memory that one value, or several one after the other, have.
struct Buffer {
    std::int64_t bytes = 0;
    std::size_t begin = 0, end = 0; ///< instructions from which and to which it is needed
    bool outside = false;           ///< of the caller, or an argument: not counted here
};

/// Which buffers are counted: those of one memory, an entry's outputs among them or not.
struct Counted {
    int memory_space;
    bool outputs;
};

struct Peak {
    std::int64_t bytes = 0;
    int instruction = 0;
};

/// Memory of a donated argument that is no longer read and not yet written as an output.
struct Gap {
    std::int64_t bytes;
    std::size_t begin, end; ///< instructions, both included
    std::vector<const Buffer*> placed;

    bool takes(const Buffer& buffer) const
    {
        return buffer.bytes <= bytes && begin <= buffer.begin && buffer.end <= end &&
               std::none_of(placed.begin(), placed.end(), [&](const Buffer* other) {
                   return other->begin <= buffer.end && buffer.begin <= other->end;
               });
    }
};

/// More are not looked at for a gap: the largest matter.
constexpr std::size_t most_reusing = 4096;

/// The buffers of one computation.
class Buffers {
public:
    Buffers(const Module& module, const Computation& computation, const Counted& counted);

    /// `inside(i)`: bytes that instruction i needs in what it calls.
    Peak peak(const std::function<std::int64_t(std::size_t)>& inside);

private:
    std::size_t found(std::size_t buffer);
    void add(std::size_t i);
    void add_parameter(std::size_t i);
    void end_uses(std::size_t i);
    void take_offers(std::size_t i);
    void place_results();
    void reuse_donated();
    void join(std::size_t into, std::size_t other);
    std::size_t operand_buffer(const Instruction& instruction, std::size_t leaf) const;

    const Module& module_;
    const Computation& computation_;
    const Counted counted_;
    std::vector<Buffer> buffers_;
    std::vector<std::size_t> parents_;         ///< of buffers that were joined
    std::vector<std::vector<std::size_t>> of_; ///< by instruction and leaf
    std::vector<std::vector<Alias>> offers_;   ///< by instruction
};

Buffers::Buffers(const Module& module, const Computation& computation, const Counted& counted)
    : module_(module),
      computation_(computation),
      counted_(counted)
{
    const std::size_t instructions = computation.instructions.size();
    of_.resize(instructions);
    offers_.resize(instructions);
    for (std::size_t i = 0; i < instructions; ++i) {
        add(i);
        end_uses(i);
    }
    for (const std::size_t buffer : of_[static_cast<std::size_t>(computation.root)]) {
        buffers_[buffer].end = instructions - 1;
    }
    parents_.resize(buffers_.size());
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
        parents_[b] = b;
    }
    place_results();
    for (std::size_t i = 0; i < instructions; ++i) {
        take_offers(i);
    }
    if (computation.is_entry) {
        reuse_donated();
    }
}

std::size_t Buffers::found(std::size_t buffer)
{
    while (parents_[buffer] != buffer) {
        buffer = parents_[buffer] = parents_[parents_[buffer]];
    }
    return buffer;
}

std::size_t Buffers::operand_buffer(const Instruction& instruction, std::size_t leaf) const
{
    std::size_t operand = 0;
    while (leaf >= of_[static_cast<std::size_t>(instruction.operands[operand])].size()) {
        leaf -= of_[static_cast<std::size_t>(instruction.operands[operand++])].size();
    }
    return of_[static_cast<std::size_t>(instruction.operands[operand])][leaf];
}

void Buffers::add(std::size_t i)
{
    const Instruction& instruction = computation_.instructions[i];
    const std::vector<const Shape*> leaves = leaves_of(*instruction.shape);
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    of_[i].assign(leaves.size(), none);
    for (const Alias& alias : aliases_of(module_, computation_, instruction)) {
        if (alias.always) {
            of_[i][alias.result_leaf] = operand_buffer(instruction, alias.operand_leaf);
        } else {
            offers_[i].push_back(alias);
        }
    }
    const bool outside = instruction.is("parameter") || instruction.is("constant");
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (of_[i][leaf] == none) {
            of_[i][leaf] = buffers_.size();
            const Shape& shape = *leaves[leaf];
            buffers_.push_back(
                {shape.memory_space == counted_.memory_space ? padded_bytes(shape) : 0, i, i,
                 outside});
        }
    }
}

void Buffers::end_uses(std::size_t i)
{
    const Instruction& instruction = computation_.instructions[i];
    if (instruction.is("tuple") || instruction.is("get-tuple-element") ||
        instruction.is("bitcast")) {
        return; // nothing is read
    }
    for (const int operand : instruction.operands) {
        for (const std::size_t buffer : of_[static_cast<std::size_t>(operand)]) {
            buffers_[buffer].end = i;
        }
    }
}

/// What is handed back lies where the caller has memory for it; what the entry does, where it is
/// donated.
void Buffers::place_results()
{
    const std::vector<std::size_t>& results = of_[static_cast<std::size_t>(computation_.root)];
    if (!computation_.is_entry || !counted_.outputs) {
        for (const std::size_t buffer : results) {
            buffers_[buffer].outside = true;
        }
        return;
    }
    for (const DonatedOutput& output : donated_outputs(module_)) {
        buffers_[results[output.output_leaf]].outside = true;
    }
}

void Buffers::join(std::size_t into, std::size_t other)
{
    Buffer& all = buffers_[into];
    const Buffer& one = buffers_[other];
    all.end = std::max(all.end, one.end);
    all.begin = std::min(all.begin, one.begin);
    all.bytes = std::max(all.bytes, one.bytes);
    all.outside = all.outside || one.outside;
    parents_[other] = into;
}

void Buffers::take_offers(std::size_t i)
{
    const Instruction& instruction = computation_.instructions[i];
    for (const Alias& offer : offers_[i]) {
        const std::size_t operand = found(operand_buffer(instruction, offer.operand_leaf));
        const std::size_t result = found(of_[i][offer.result_leaf]);
        const bool constant_or_kept =
            buffers_[operand].outside && computation_.is_entry && !buffers_[result].outside;
        if (operand != result && buffers_[operand].end <= i && !constant_or_kept) {
            join(operand, result);
        }
    }
}

/// Puts what fits into gaps of donated arguments, the largest first, as XLA does.
void Buffers::reuse_donated()
{
    std::vector<Gap> gaps;
    for (const DonatedOutput& output : donated_outputs(module_)) {
        const auto parameter = static_cast<std::size_t>(computation_.parameters[output.parameter]);
        const Shape& shape = *computation_.instructions[parameter].shape;
        const std::size_t result =
            found(of_[static_cast<std::size_t>(computation_.root)][output.output_leaf]);
        if (shape.is_array() && shape.memory_space == counted_.memory_space) {
            const std::size_t last = buffers_[found(of_[parameter][0])].end;
            if (last + 1 < buffers_[result].begin) {
                gaps.push_back({padded_bytes(shape), last + 1, buffers_[result].begin - 1, {}});
            }
        }
    }
    std::vector<Buffer*> candidates;
    for (std::size_t b = 0; b < buffers_.size() && !gaps.empty(); ++b) {
        if (parents_[b] == b && !buffers_[b].outside && buffers_[b].bytes > 0) {
            candidates.push_back(&buffers_[b]);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
    candidates.resize(std::min(candidates.size(), most_reusing));
    for (Buffer* const buffer : candidates) {
        const auto gap = std::find_if(gaps.begin(), gaps.end(),
                                      [buffer](const Gap& one) { return one.takes(*buffer); });
        if (gap != gaps.end()) {
            gap->placed.push_back(buffer);
            buffer->outside = true;
        }
    }
}

Peak Buffers::peak(const std::function<std::int64_t(std::size_t)>& inside)
{
    const std::size_t instructions = computation_.instructions.size();
    std::vector<std::int64_t> begins(instructions), ends(instructions);
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
        const Buffer& buffer = buffers_[b];
        if (parents_[b] == b && !buffer.outside) {
            begins[buffer.begin] = sum(begins[buffer.begin], buffer.bytes);
            ends[buffer.end] = sum(ends[buffer.end], buffer.bytes);
        }
    }
    Peak most;
    std::int64_t live = 0;
    for (std::size_t i = 0; i < instructions; ++i) {
        live = sum(live, begins[i]);
        const std::int64_t now = sum(live, inside(i));
        if (now > most.bytes) {
            most = {now, static_cast<int>(i)};
        }
        live -= ends[i];
    }
    return most;
}

/// Returns the peak of all computations, from those that call nothing on: what each needs beyond
/// its caller's.
Peak peak_of_module(const Module& module, const Counted& counted)
{
    std::vector<std::int64_t> needs;
    Peak peak;
    for (const Computation& computation : module.computations) {
        const auto inside = [&](std::size_t i) {
            const Instruction& instruction = computation.instructions[i];
            std::int64_t most = 0;
            if (!instruction.is("fusion")) { // what is fused has no buffers
                for (const Called& called : instruction.called) {
                    most = std::max(most, needs[static_cast<std::size_t>(called.computation)]);
                }
            }
            return most;
        };
        peak = Buffers(module, computation, counted).peak(inside);
        needs.push_back(peak.bytes);
        if (computation.is_entry) {
            return peak;
        }
    }
    return peak;
}

/// Counts those of the arguments in one memory, or, without one, in all.
std::int64_t argument_bytes(const Computation& entry, std::optional<int> memory_space)
{
    std::int64_t bytes = 0;
    for (const int parameter : entry.parameters) {
        for (const Shape* leaf :
             leaves_of(*entry.instructions[static_cast<std::size_t>(parameter)].shape)) {
            if (!memory_space || leaf->memory_space == *memory_space) {
                bytes = sum(bytes, padded_bytes(*leaf));
            }
        }
    }
    return bytes;
}

/// The memories that arrays of the program are in.
std::set<int> spaces_of(const Module& module)
{
    std::set<int> spaces;
    for (const Shape& shape : module.shapes) {
        for (const Shape* leaf : leaves_of(shape)) {
            if (leaf->is_array()) {
                spaces.insert(leaf->memory_space);
            }
        }
    }
    return spaces;
}

std::int64_t bytes_of_own_outputs(const Module& module)
{
    const std::vector<const Shape*> outputs =
        leaves_of(*module.entry_computation().root_instruction().shape);
    std::vector<bool> donated(outputs.size());
    for (const DonatedOutput& output : donated_outputs(module)) {
        donated[output.output_leaf] = true;
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        bytes = sum(bytes, donated[i] ? 0 : padded_bytes(*outputs[i]));
    }
    return bytes;
}

} // namespace

LiveMemory live_memory(const Module& module)
{
    const Computation& entry = module.entry_computation();
    LiveMemory memory;
    memory.arguments_bytes = argument_bytes(entry, space::hbm);
    const Peak peak = peak_of_module(module, {space::hbm, true});
    memory.peak_bytes = sum(memory.arguments_bytes, peak.bytes);
    memory.peak_instruction = peak.instruction;
    std::int64_t most = 0;
    for (const int where : spaces_of(module)) {
        most = std::max(most, peak_of_module(module, {where, false}).bytes);
    }
    memory.xla_peak_bytes =
        sum(sum(argument_bytes(entry, std::nullopt), bytes_of_own_outputs(module)), most);
    return memory;
}

} // namespace alxsim::hlo
