// SPDX-License-Identifier: Apache-2.0
#include "base/text/document.h"

#include <sstream>
#include <utility>

namespace alxsim {
namespace {

/// Words to lines of at most 100 columns.
std::string filled(const std::string& text, const std::string& beginning)
{
    constexpr std::size_t columns = 100;
    std::istringstream words(text);
    std::string lines;
    std::string line = beginning;
    bool empty = true;
    for (std::string word; words >> word; empty = false) {
        if (!empty && line.size() + 1 + word.size() > columns) {
            lines += line + "\n";
            line = std::string(beginning.size(), ' ');
            empty = true;
        }
        line += (empty ? "" : " ") + word;
    }
    return lines + line + "\n";
}

/// A cell alone goes over all columns.
std::string row_markup(const TableRow& cells, const char* tag, const std::vector<bool>& flush_right)
{
    const std::string whole = " colspan=\"" + std::to_string(flush_right.size()) + "\"";
    std::string row = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        row += std::string("<") + tag + (cells.size() == 1 ? whole : "") +
               (flush_right[i] ? ">" : " class=\"text\">") + escaped_markup(cells[i]) + "</" + tag +
               ">";
    }
    return row + "</tr>\n";
}

} // namespace

std::string escaped_markup(const std::string& text)
{
    std::string result;
    for (const char letter : text) {
        const bool control = static_cast<unsigned char>(letter) < 0x20; // is not XML at all
        result += letter == '&'   ? "&amp;"
                  : letter == '<' ? "&lt;"
                  : letter == '>' ? "&gt;"
                  : letter == '"' ? "&quot;"
                                  : std::string(1, control ? ' ' : letter);
    }
    return result;
}

void Document::element(const std::string& tag, const std::string& content)
{
    const bool item = tag == "li";
    html_ += item == in_list_ ? "" : item ? "<ul>\n" : "</ul>\n";
    in_list_ = item;
    html_ += "<" + tag + ">" + content + "</" + tag.substr(0, tag.find(' ')) + ">\n";
}

void Document::heading(const std::string& words, char underline)
{
    text_ += words + "\n";
    text_ += underline == 0 ? "" : std::string(words.size(), underline) + "\n";
    element("h2", escaped_markup(words));
}

void Document::paragraph(const std::string& words, const std::string& beginning)
{
    text_ += filled(words, beginning);
    element("p", escaped_markup(beginning + words));
}

void Document::item(const std::string& words, const std::string& bullet)
{
    text_ += filled(words, bullet);
    element("li", escaped_markup(words));
}

void Document::line(const std::string& words)
{
    text_ += words + "\n";
    element("p", escaped_markup(words));
}

void Document::command(const std::string& words)
{
    text_ += "  " + words + "\n";
    element("pre", escaped_markup(words));
}

void Document::table(const TableRow& heads, std::vector<TableRow> rows,
                     const std::vector<bool>& flush_right)
{
    std::string body;
    for (const TableRow& row : rows) {
        body += row_markup(row, row.size() == 1 ? "th" : "td", flush_right);
    }
    const std::string head =
        heads.empty() ? "" : "<thead>" + row_markup(heads, "th", flush_right) + "</thead>\n";
    element("div class=\"scroll\" tabindex=\"0\"",
            "<table>\n" + head + "<tbody>\n" + body + "</tbody>\n</table>");
    if (!heads.empty()) {
        rows.insert(rows.begin(), heads);
    }
    text_ += text_table(std::move(rows), flush_right);
}

} // namespace alxsim
