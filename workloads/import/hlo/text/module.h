// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/shape.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::hlo {

/// `name=value` behind an instruction's operands; the value is parsed by who needs it.
struct Attribute {
    std::string_view name, value;
};

/// A computation that an instruction calls, as calls, to_apply, condition, body, ...
struct Called {
    std::string_view role;
    int computation; ///< its index in Module::computations, lower than that of the caller
};

struct Instruction {
    std::string_view name;      ///< without "%"
    std::string_view opcode;    ///< fusion, all-gather-start, ...
    const Shape* shape;         ///< of the module
    std::vector<int> operands;  ///< indices in its computation, each lower than its own
    std::string_view arguments; ///< as text: the number of a parameter, what a constant holds
    std::vector<Attribute> attributes;
    std::vector<Called> called;

    /// Returns the value of the attribute; "" where there is none.
    std::string_view attribute(std::string_view attribute_name) const;
    /// -1 where nothing is called so.
    int called_as(std::string_view role) const;
    bool is(std::string_view word) const { return opcode == word; }
    bool is_root = false;
};

struct Computation {
    std::string_view name;
    std::vector<Instruction> instructions; ///< of a scheduled module in the order they run
    std::vector<int> parameters;           ///< by number
    int root = 0;
    std::string_view execution_thread; ///< "": the TensorCore's
    bool is_entry = false;

    const Instruction& root_instruction() const
    {
        return instructions[static_cast<std::size_t>(root)];
    }
    const Instruction& operand(const Instruction& instruction, std::size_t i) const
    {
        return instructions[static_cast<std::size_t>(instruction.operands[i])];
    }
};

struct FileLocation {
    int file_name = 0, function_name = 0; ///< numbers from 1 in the module's tables; 0: none
    std::int64_t line = 0, end_line = 0, column = 0, end_column = 0;
};

struct StackFrame {
    int file_location = 0; ///< number from 1
    int caller = 0;        ///< number of a frame; 0: none (parent_frame_id is one more)
};

/// A compiled program: XLA's HLO text, read. Names and values are views into `text`.
struct Module {
    std::string file; ///< for messages
    std::shared_ptr<const std::string> text;
    std::string_view name;
    std::vector<Attribute> config; ///< of the first line
    std::vector<std::string_view> file_names, function_names;
    std::vector<FileLocation> file_locations;
    std::vector<StackFrame> stack_frames;
    std::vector<Computation> computations; ///< each behind those that it calls
    int entry = 0;
    std::deque<Shape> shapes; ///< each that is written in the text once

    const Computation& entry_computation() const
    {
        return computations[static_cast<std::size_t>(entry)];
    }
    const Computation& called(const Instruction& instruction, std::size_t i = 0) const
    {
        return computations[static_cast<std::size_t>(instruction.called[i].computation)];
    }
    std::string_view config_value(std::string_view config_name) const;
    /// 1 where the text does not say.
    std::int64_t num_partitions() const;
    std::int64_t replica_count() const;
    bool is_scheduled() const { return config_value("is_scheduled") == "true"; }
    /// "line 3, column 5" of a view into the text.
    std::string place_of(std::string_view part) const;
    /// Throws InputError with file and place of the instruction.
    [[noreturn]] void refuse(const Instruction& instruction, const std::string& problem) const;
};

/// What metadata={..} says of where an instruction comes from.
struct Origin {
    std::string_view op_name; ///< jit(step)/transpose(jvp())/dot_general
    int stack_frame = 0;      ///< number from 1 in Module::stack_frames; 0: not said
};

/// Returns that of an instruction; empty where it has none. Throws InputError for frames that the
/// table lacks.
Origin origin_of(const Module& module, const Instruction& instruction);

/// "step.py:7", where an instruction comes from; "" where the text does not say.
std::string source_of(const Module& module, const Instruction& instruction);

} // namespace alxsim::hlo
