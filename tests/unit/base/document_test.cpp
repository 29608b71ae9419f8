// SPDX-License-Identifier: Apache-2.0
// What people read, as text and as HTML.
#include "base/text/document.h"
#include "base/text/printed.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

TEST(Document, IsTextAsItWasWritten)
{
    Document document;
    document.heading("A title", '=');
    document.paragraph("one  two", "Note: ");
    document.item("three", "  - ");
    document.line("kept as\n  it is");
    document.command("alxsim --help");
    document.gap();
    document.table({"name", "s"}, {{"a", "10"}, {"a topic"}, {"b", "2"}}, {false, true});
    EXPECT_EQ(document.text(), "A title\n=======\nNote: one two\n  - three\nkept as\n  it is\n"
                               "  alxsim --help\n\nname   s\na     10\n\na topic\nb      2\n");
}

TEST(Document, FillsLinesTo100ColumnsBelowTheirBeginning)
{
    Document document;
    document.item(std::string(58, 'a') + " " + std::string(37, 'b') + " c", "  - ");
    EXPECT_EQ(document.text(),
              "  - " + std::string(58, 'a') + " " + std::string(37, 'b') + "\n    c\n");
}

TEST(Document, IsHtmlWithListsAndTables)
{
    Document document;
    document.heading("a < b");
    document.item("one", "- ");
    document.item("two", "- ");
    document.paragraph("end", "1. ");
    document.table({"name", "s"}, {{"\"a\" & b", "1"}, {"topic"}}, {false, true});
    document.item("last", "- ");
    EXPECT_EQ(document.html(),
              "<h2>a &lt; b</h2>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p>1. end</p>\n"
              "<div class=\"scroll\" tabindex=\"0\"><table>\n"
              "<thead><tr><th class=\"text\">name</th><th>s</th></tr>\n</thead>\n"
              "<tbody>\n<tr><td class=\"text\">&quot;a&quot; &amp; b</td><td>1</td></tr>\n"
              "<tr><th colspan=\"2\" class=\"text\">topic</th></tr>\n</tbody>\n</table></div>\n"
              "<ul>\n<li>last</li>\n</ul>\n");
}

TEST(Printed, IsByAFormatOrADash)
{
    EXPECT_EQ(printed("%.3g s", 1234.5), "1.23e+03 s");
    EXPECT_EQ(printed("%.3g s", std::nullopt), "-");
    EXPECT_EQ(printed_percent("%+.1f", 0.0512), "+5.1 %");
    EXPECT_EQ(printed_percent("%+.1f", std::nullopt), "-");
    EXPECT_EQ(rounded("%.2g", 1.2499), 1.2);
}

} // namespace
} // namespace alxsim
