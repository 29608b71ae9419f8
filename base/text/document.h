// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/text_table.h"

#include <string>
#include <vector>

namespace alxsim {

/// As it stands in HTML and SVG, between tags or in an attribute.
std::string escaped_markup(const std::string& text);

/// What people read, written from top to bottom, as text for a terminal and as HTML.
class Document {
public:
    /// `underline`: what stands below it in text, if anything, as often as it is long.
    void heading(const std::string& words, char underline = 0);

    /// In text filled to lines of at most 100 columns: the first has `beginning` before the words,
    /// the others as many blanks.
    void paragraph(const std::string& words, const std::string& beginning = "");

    /// The same of an item of a list; in HTML the list's bullet stands before it.
    void item(const std::string& words, const std::string& bullet = "  - ");

    /// A paragraph that in text stands as it is, with line breaks of its own.
    void line(const std::string& words);

    /// To be typed as it is.
    void command(const std::string& words);

    /// See text_table(). `heads`: of its columns; may be empty.
    void table(const TableRow& heads, std::vector<TableRow> rows,
               const std::vector<bool>& flush_right);

    /// An empty line, in text.
    void gap() { text_ += "\n"; }

    const std::string& text() const { return text_; }

    /// Elements that go into a page's body.
    std::string html() const { return html_ + (in_list_ ? "</ul>\n" : ""); }

private:
    /// `content`: markup.
    void element(const std::string& tag, const std::string& content);

    std::string text_;
    std::string html_;
    bool in_list_ = false; ///< which has no end tag yet
};

} // namespace alxsim
