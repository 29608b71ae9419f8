// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/module.h"

#include "base/input_error.h"
#include "workloads/import/hlo/text/attributes.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

std::string_view value_of(const std::vector<Attribute>& attributes, std::string_view name)
{
    for (const Attribute& attribute : attributes) {
        if (attribute.name == name) {
            return attribute.value;
        }
    }
    return {};
}

std::int64_t count_of(const Module& module, std::string_view name)
{
    const std::string_view value = module.config_value(name);
    if (value.empty()) {
        return 1;
    }
    const std::optional<std::int64_t> count = whole_number(value);
    if (!count || *count < 1 || *count > 1 << 24) {
        throw InputError(module.file, module.place_of(value),
                         "found " + std::string(name) + "=" + std::string(value) +
                             "; allowed: from 1 to 2^24");
    }
    return *count;
}

} // namespace

std::string_view Instruction::attribute(std::string_view attribute_name) const
{
    return value_of(attributes, attribute_name);
}

int Instruction::called_as(std::string_view role) const
{
    const auto found = std::find_if(called.begin(), called.end(),
                                    [role](const Called& one) { return one.role == role; });
    return found == called.end() ? -1 : found->computation;
}

std::string_view Module::config_value(std::string_view config_name) const
{
    return value_of(config, config_name);
}

std::int64_t Module::num_partitions() const
{
    return count_of(*this, "num_partitions");
}

std::int64_t Module::replica_count() const
{
    return count_of(*this, "replica_count");
}

std::string Module::place_of(std::string_view part) const
{
    return place_in(*text, static_cast<std::size_t>(part.data() - text->data()));
}

void Module::refuse(const Instruction& instruction, const std::string& problem) const
{
    throw InputError(file, place_of(instruction.name),
                     std::string(instruction.opcode) + " '" + std::string(instruction.name) +
                         "': " + problem);
}

Origin origin_of(const Module& module, const Instruction& instruction)
{
    const std::string_view metadata = instruction.attribute("metadata");
    if (metadata.empty()) {
        return {};
    }
    Origin origin;
    for (const Attribute& field : fields_of(metadata)) {
        if (field.name == "op_name") {
            origin.op_name = without_quotes(field.value);
        } else if (field.name == "stack_frame_id") {
            const std::optional<std::int64_t> frame = whole_number(field.value);
            const auto frames = static_cast<std::int64_t>(module.stack_frames.size());
            if (!frame || *frame < 0 || *frame > frames) {
                module.refuse(instruction, "found stack_frame_id=" + std::string(field.value) +
                                               "; allowed: 0 to " + std::to_string(frames) +
                                               ", the frames of the table StackFrames");
            }
            origin.stack_frame = static_cast<int>(*frame);
        }
    }
    return origin;
}

std::string source_of(const Module& module, const Instruction& instruction)
{
    const Origin origin = origin_of(module, instruction);
    if (origin.stack_frame > 0) {
        const StackFrame& frame =
            module.stack_frames[static_cast<std::size_t>(origin.stack_frame - 1)];
        if (frame.file_location > 0) {
            const FileLocation& at =
                module.file_locations[static_cast<std::size_t>(frame.file_location - 1)];
            return at.file_name == 0
                       ? ""
                       : std::string(
                             module.file_names[static_cast<std::size_t>(at.file_name - 1)]) +
                             ":" + std::to_string(at.line);
        }
    }
    std::string file, line;
    for (const Attribute& field : fields_of(instruction.attribute("metadata"))) {
        if (field.name == "source_file") {
            file = std::string(without_quotes(field.value));
        } else if (field.name == "source_line") {
            line = ":" + std::string(field.value);
        }
    }
    return file.empty() ? "" : file + line;
}

} // namespace alxsim::hlo
