// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/module_tables.h"

#include <functional>
#include <utility>

namespace alxsim::hlo {
namespace {

using Key = std::pair<std::string_view, std::function<void(std::int64_t)>>;

/// Lines `N ...`, N from 1, each read by `line`; nothing where the table is not here.
void read_table(TextCursor& cursor, std::string_view name, const std::function<void()>& line)
{
    if (!cursor.begins(name)) {
        return;
    }
    cursor.advance(name.size());
    cursor.end_line();
    std::int64_t next = 1;
    for (cursor.skip_blank_lines(); cursor.peek() >= '0' && cursor.peek() <= '9';
         cursor.skip_blank_lines()) {
        const std::size_t begin = cursor.position();
        if (cursor.number("a line's number") != next) {
            cursor.fail_at(begin, std::to_string(next) + ", the next number of this table");
        }
        ++next;
        cursor.skip_spaces();
        line();
        cursor.end_line();
    }
}

/// {key=number ...} with any of these keys.
void read_record(TextCursor& cursor, const std::vector<Key>& keys)
{
    cursor.expect('{', "behind a line's number");
    for (cursor.skip_spaces(); !cursor.take('}'); cursor.skip_spaces()) {
        const std::size_t begin = cursor.position();
        const std::string_view word = cursor.word("a key or '}'");
        cursor.expect('=', "behind a key");
        const std::int64_t number = cursor.number("a number");
        bool known = false;
        std::string allowed;
        for (const Key& key : keys) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(key.first);
            if (key.first == word) {
                key.second(number);
                known = true;
            }
        }
        if (!known) {
            cursor.fail_at(begin, allowed);
        }
    }
}

/// Takes a number from 0 to `most` into `into`.
Key number_of_line(TextCursor& cursor, std::string_view name, int& into, std::size_t most)
{
    return {name, [&cursor, &into, most](std::int64_t number) {
                if (number > static_cast<std::int64_t>(most)) {
                    cursor.refuse(cursor.position(), "found " + std::to_string(number) +
                                                         "; allowed: 0 to " + std::to_string(most) +
                                                         ", lines of the table");
                }
                into = static_cast<int>(number);
            }};
}

Key number_into(std::string_view name, std::int64_t& into)
{
    return {name, [&into](std::int64_t number) { into = number; }};
}

void read_location(TextCursor& cursor, Module& module)
{
    FileLocation location;
    read_record(
        cursor,
        {number_of_line(cursor, "file_name_id", location.file_name, module.file_names.size()),
         number_of_line(cursor, "function_name_id", location.function_name,
                        module.function_names.size()),
         number_into("line", location.line), number_into("end_line", location.end_line),
         number_into("column", location.column), number_into("end_column", location.end_column)});
    module.file_locations.push_back(location);
}

/// The caller is frame parent_frame_id - 1, which stands above its own.
void read_frame(TextCursor& cursor, Module& module)
{
    StackFrame frame;
    int parent = 1;
    read_record(cursor, {number_of_line(cursor, "file_location_id", frame.file_location,
                                        module.file_locations.size()),
                         number_of_line(cursor, "parent_frame_id", parent,
                                        module.stack_frames.size() + 1)});
    frame.caller = parent > 0 ? parent - 1 : 0;
    module.stack_frames.push_back(frame);
}

} // namespace

void read_tables(TextCursor& cursor, Module& module)
{
    read_table(cursor, "FileNames",
               [&] { module.file_names.push_back(cursor.quoted("a file's name in quotes")); });
    read_table(cursor, "FunctionNames", [&] {
        module.function_names.push_back(cursor.quoted("a function's name in quotes"));
    });
    read_table(cursor, "FileLocations", [&] { read_location(cursor, module); });
    read_table(cursor, "StackFrames", [&] { read_frame(cursor, module); });
}

} // namespace alxsim::hlo
