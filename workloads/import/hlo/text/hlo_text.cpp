// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/hlo_text.h"

#include "base/file_input.h"
#include "base/inputs/gunzip.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/foreign_text.h"
#include "workloads/import/hlo/text/module_checks.h"
#include "workloads/import/hlo/text/module_tables.h"
#include "workloads/import/hlo/text/shape_reader.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace alxsim::hlo {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

constexpr std::array<std::string_view, 10> roles{"calls",
                                                 "to_apply",
                                                 "condition",
                                                 "body",
                                                 "branch_computations",
                                                 "true_computation",
                                                 "false_computation",
                                                 "called_computations",
                                                 "select",
                                                 "scatter"};

/// Reads a module from its first line to its last.
class HloReader {
public:
    HloReader(Module& module) : module_(module), cursor_(*module.text, module.file) {}
    void read();

private:
    void read_config();
    void read_attributes(std::vector<Attribute>& attributes);
    void read_computation();
    void skip_signature();
    void read_instructions(Computation& computation);
    Instruction read_instruction();
    const Shape* shape_here();
    void read_arguments(Instruction& instruction);
    void read_operand(Instruction& instruction);
    void resolve_calls(Instruction& instruction);
    void number_parameters(Computation& computation) const;

    Module& module_;
    TextCursor cursor_;
    std::unordered_map<std::string_view, int> computations_;
    std::unordered_map<std::string_view, int> instructions_; ///< of this computation
    std::unordered_map<std::string_view, const Shape*> shapes_;
    bool has_entry_ = false;
};

void HloReader::read()
{
    cursor_.skip_blank_lines();
    read_config();
    cursor_.skip_blank_lines();
    read_tables(cursor_, module_);
    while (!cursor_.at_end()) {
        read_computation();
        cursor_.skip_blank_lines();
    }
    if (!has_entry_) {
        cursor_.fail("a computation that begins with ENTRY");
    }
}

void HloReader::read_config()
{
    cursor_.advance(std::string_view("HloModule").size());
    cursor_.expect(' ', "and a name behind HloModule");
    cursor_.skip_spaces();
    module_.name = cursor_.name("the module's name");
    read_attributes(module_.config);
}

/// `, name=value` up to the end of the line.
void HloReader::read_attributes(std::vector<Attribute>& attributes)
{
    cursor_.skip_spaces();
    while (cursor_.take(',')) {
        cursor_.skip_spaces();
        const std::string_view name = cursor_.word("an attribute's name");
        cursor_.expect('=', "behind an attribute's name");
        attributes.push_back({name, cursor_.value("an attribute's value")});
        cursor_.skip_spaces();
    }
    cursor_.end_line();
}

void HloReader::read_computation()
{
    const std::size_t begin = cursor_.position();
    Computation computation;
    computation.is_entry = cursor_.take("ENTRY ");
    cursor_.skip_spaces();
    computation.name = cursor_.name("a computation's name, or ENTRY and its name");
    cursor_.skip_spaces();
    skip_signature();
    cursor_.expect('{', "behind a computation's name");
    if (computation.is_entry && has_entry_) {
        cursor_.fail_at(begin, "one ENTRY");
    }
    const int index = static_cast<int>(module_.computations.size());
    read_instructions(computation);
    number_parameters(computation);
    if (cursor_.take(", execution_thread=")) {
        computation.execution_thread = cursor_.quoted("a thread's name in quotes");
    }
    cursor_.end_line();
    check_instructions(module_, computation);
    if (!computations_.emplace(computation.name, index).second) {
        cursor_.fail_at(begin, "a name that no computation above has");
    }
    if (computation.is_entry) {
        has_entry_ = true;
        module_.entry = index;
    }
    module_.computations.push_back(std::move(computation));
}

/// (a: f32[8], ...) -> f32[8]: said again by the parameters and the root.
void HloReader::skip_signature()
{
    if (!cursor_.take('(')) {
        return;
    }
    cursor_.up_to_closing('(');
    cursor_.skip_spaces();
    if (!cursor_.take("->")) {
        cursor_.fail("'->' behind a computation's parameters");
    }
    cursor_.skip_spaces();
    shape_here();
    cursor_.skip_spaces();
}

void HloReader::read_instructions(Computation& computation)
{
    instructions_.clear();
    int root = -1;
    cursor_.end_line();
    for (cursor_.skip_blank_lines(); !cursor_.take('}'); cursor_.skip_blank_lines()) {
        const std::size_t begin = cursor_.position();
        const int index = static_cast<int>(computation.instructions.size());
        computation.instructions.push_back(read_instruction());
        const Instruction& read = computation.instructions.back();
        if (!instructions_.emplace(read.name, index).second) {
            cursor_.fail_at(begin, "a name that no instruction above in its computation has");
        }
        if (read.is_root && root >= 0) {
            cursor_.fail_at(begin, "one ROOT in a computation");
        }
        root = read.is_root ? index : root;
    }
    if (computation.instructions.empty()) {
        cursor_.fail("an instruction before '}'");
    }
    computation.root = root < 0 ? static_cast<int>(computation.instructions.size()) - 1 : root;
}

Instruction HloReader::read_instruction()
{
    Instruction instruction;
    instruction.is_root = cursor_.take("ROOT ");
    cursor_.skip_spaces();
    instruction.name = cursor_.name("an instruction, ROOT and an instruction, or '}'");
    cursor_.skip_spaces();
    cursor_.expect('=', "behind an instruction's name");
    cursor_.skip_spaces();
    instruction.shape = shape_here();
    cursor_.skip_spaces();
    instruction.opcode = cursor_.word("an opcode");
    cursor_.expect('(', "behind an opcode");
    read_arguments(instruction);
    read_attributes(instruction.attributes);
    resolve_calls(instruction);
    return instruction;
}

/// A shape that is written as one before is that one.
const Shape* HloReader::shape_here()
{
    const std::size_t begin = cursor_.position();
    TextCursor ahead = cursor_;
    if (ahead.take('(')) {
        ahead.up_to_closing('(');
    } else {
        ahead.word("a shape such as f32[8,128]{1,0}");
        if (ahead.take('[')) {
            ahead.up_to_closing('[');
        }
        if (ahead.take('{')) {
            ahead.up_to_closing('{');
        }
    }
    const Shape*& known = shapes_[ahead.since(begin)];
    if (known == nullptr) {
        module_.shapes.push_back(read_shape(cursor_));
        if (cursor_.position() != ahead.position()) {
            cursor_.fail("the end of the shape");
        }
        known = &module_.shapes.back();
    }
    cursor_ = ahead;
    return known;
}

void HloReader::read_arguments(Instruction& instruction)
{
    const std::size_t begin = cursor_.position();
    if (instruction.is("parameter") || instruction.is("constant") ||
        instruction.is("infeed-config")) {
        instruction.arguments = cursor_.up_to_closing('(');
        return;
    }
    cursor_.skip_blank_lines();
    while (!cursor_.take(')')) {
        if (!instruction.operands.empty()) {
            cursor_.expect(',', "or ')' behind an operand");
            cursor_.skip_blank_lines();
        }
        read_operand(instruction);
        cursor_.skip_blank_lines();
    }
    instruction.arguments = cursor_.since(begin);
    instruction.arguments.remove_suffix(1);
}

/// %name, or with its shape before it.
void HloReader::read_operand(Instruction& instruction)
{
    std::size_t begin = cursor_.position();
    std::string_view name;
    if (cursor_.peek() != '(') {
        name = cursor_.name("an operand's name");
    }
    if (name.empty() || cursor_.peek() == '[') {
        cursor_.advance(begin - cursor_.position()); // back
        shape_here();
        cursor_.skip_spaces();
        begin = cursor_.position();
        name = cursor_.name("an operand's name behind its shape");
    }
    const auto found = instructions_.find(name);
    if (found == instructions_.end()) {
        cursor_.fail_at(begin, "the name of an instruction above in this computation");
    }
    instruction.operands.push_back(found->second);
}

void HloReader::resolve_calls(Instruction& instruction)
{
    for (const Attribute& attribute : instruction.attributes) {
        if (std::find(roles.begin(), roles.end(), attribute.name) == roles.end()) {
            continue;
        }
        TextCursor names(*module_.text, module_.file,
                         static_cast<std::size_t>(attribute.value.data() - module_.text->data()));
        const bool list = names.take('{');
        do {
            names.skip_spaces();
            if (list && names.peek() == '}') {
                break;
            }
            const std::size_t begin = names.position();
            const auto found = computations_.find(names.name("a computation's name"));
            if (found == computations_.end()) {
                names.fail_at(begin, "the name of a computation above");
            }
            instruction.called.push_back({attribute.name, found->second});
            names.skip_spaces();
        } while (list && names.take(','));
    }
}

void HloReader::number_parameters(Computation& computation) const
{
    for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
        const Instruction& instruction = computation.instructions[i];
        if (!instruction.is("parameter")) {
            continue;
        }
        const std::optional<std::int64_t> number = whole_number(instruction.arguments);
        const auto most = static_cast<std::int64_t>(computation.instructions.size());
        if (!number || *number < 0 || *number >= most) {
            module_.refuse(instruction, "found the number '" + std::string(instruction.arguments) +
                                            "'; allowed: from 0, each number once");
        }
        computation.parameters.resize(
            std::max(computation.parameters.size(), static_cast<std::size_t>(*number) + 1), -1);
        int& place = computation.parameters[static_cast<std::size_t>(*number)];
        if (place >= 0) {
            module_.refuse(instruction, "found the number " + std::to_string(*number) +
                                            " again; allowed: each number once");
        }
        place = static_cast<int>(i);
    }
    const auto missing =
        std::find(computation.parameters.begin(), computation.parameters.end(), -1);
    if (missing != computation.parameters.end()) {
        module_.refuse(computation.root_instruction(),
                       "its computation has no parameter(" +
                           std::to_string(missing - computation.parameters.begin()) +
                           "); allowed: all numbers from 0");
    }
}

} // namespace

Module read_hlo_text(std::string text, const std::string& file)
{
    refuse_foreign_text(text, file);
    Module module;
    module.file = file;
    module.text = std::make_shared<const std::string>(std::move(text));
    HloReader(module).read();
    return module;
}

Module read_hlo_file(const std::string& path)
{
    return read_hlo_text(gunzipped(read_file(path, most_bytes), path, most_bytes), path);
}

} // namespace alxsim::hlo
