// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alxsim::alx {

/// How the lines of a table are written: fields parted by one separator throughout.
struct TableLayout {
    /// "\t", "::", ",", ";" or "|"; or " ": any run of blanks and tabs.
    std::string separator = " ";
    /// Fields of the first line that is no comment, or names, without quotes; empty where it holds
    /// data.
    std::vector<std::string> first_line;
    /// Most fields of a line looked at.
    std::size_t fields = 0;

    bool parted_by_blanks() const { return separator == " "; }
    /// "tabs", "commas" ...
    std::string separator_in_words() const;
};

/// Lines that begin with # or %, and blank ones.
bool is_comment_or_blank(std::string_view line);

/// Calls take(line) for each whole line of the beginning of a text: not for a last one without its
/// end, which may be cut, unless it is the only one.
template <class Take>
void for_each_line(std::string_view beginning, char line_end, const Take& take)
{
    for (bool first = true; !beginning.empty(); first = false) {
        const std::size_t end = beginning.find(line_end);
        if (end == std::string_view::npos && !first) {
            return;
        }
        take(beginning.substr(0, end));
        beginning.remove_prefix(end == std::string_view::npos ? beginning.size() : end + 1);
    }
}

/// Finds the layout of a table that begins so; a cut line at the end is not looked at. The
/// separator is what parts every line into at least two fields, as many in each; tabs and '::'
/// before all others, which no name holds, and blanks last, since names hold them. `what`: of which
/// file, for messages. Throws InputError where two of commas, semicolons and bars part all lines
/// alike.
TableLayout layout_of(std::string_view beginning, char line_end, const std::string& path);

/// The fields of a line, in turn. A field in double quotes may hold separators, and quotes written
/// twice; quotes elsewhere are letters.
class FieldCutter {
public:
    explicit FieldCutter(const TableLayout& layout)
        : separator_(layout.separator),
          by_blanks_(layout.parted_by_blanks()),
          quotes_count_(separator_ == "," || separator_ == ";" || separator_ == "|")
    {
    }

    /// Begins a new line.
    void start(std::string_view line);
    /// False at the end of the line. The view holds until the next call.
    bool next(std::string_view& field);
    /// Whether a field so far began with a double quote and does not end on its line; of tables
    /// parted by tabs, '::' or blanks never, where a quote is a letter.
    bool quote_is_open() const { return quote_is_open_; }

private:
    bool next_of_blanks(std::string_view& field);
    bool next_in_quotes(std::string_view& field);

    /// Where the next separator begins in what is left; npos at the end.
    std::size_t next_separator() const;

    std::string separator_;
    bool by_blanks_;
    bool quotes_count_;
    std::string_view rest_;
    bool more_ = false;
    bool quote_is_open_ = false;
    std::string unquoted_;
};

/// Throws InputError where a field's quote is open at the end of a line: its text goes on in the
/// next, which would be read as a link.
void refuse_open_quote(const FieldCutter& cutter, std::string_view line, const std::string& path,
                       const std::string& place);

} // namespace alxsim::alx
