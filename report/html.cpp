// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include "base/inputs/sha256.h"
#include "report/page/colours.h"
#include "report/page/page_data.h"
#include "report/resources.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::report {
namespace {

/// JSON text that may stand inside a <script>: a "<" occurs in strings only, and there it has an
/// escape of its own, so neither "</script" nor "<!--" can appear.
std::string json_for_script(const std::string& text)
{
    std::string result;
    std::size_t begin = 0;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', begin)) {
        result.append(text, begin, at - begin).append("\\u003c");
        begin = at + 1;
    }
    return result.append(text, begin);
}

/// Replaces each {{name}} of the template, in one pass: what is put in is not looked at again.
std::string filled(std::string_view page, const std::map<std::string, std::string>& values)
{
    std::string result;
    for (std::size_t at = 0;;) {
        const std::size_t begin = page.find("{{", at);
        result += page.substr(at, begin - at);
        if (begin == std::string_view::npos) {
            return result;
        }
        const std::size_t end = page.find("}}", begin);
        const auto found = values.find(std::string(page.substr(begin + 2, end - begin - 2)));
        if (end == std::string_view::npos || found == values.end()) {
            throw std::logic_error("page.html: a place without a value");
        }
        result += found->second;
        at = end + 2;
    }
}

/// A browser runs these scripts and no other, whatever stands in the page.
std::string allowed(const std::vector<std::string>& scripts)
{
    std::string hashes;
    for (const std::string& script : scripts) {
        hashes += (hashes.empty() ? "'sha256-" : " 'sha256-") + sha256_base64(script) + "'";
    }
    return hashes;
}

/// `data`: JSON text. `scripts`: in the order in which they run.
std::string page(const std::string& title, const std::string& data,
                 const std::vector<std::string>& scripts, const std::string& instead)
{
    const Resources& parts = resources();
    std::string script;
    for (const std::string& one : scripts) {
        script += one == "colours.js" ? colours_script() : std::string(parts.get("page/" + one));
    }
    const std::string chart(parts.get("chart.min.js"));
    const std::string common(parts.get("page/common.js"));
    return filled(parts.get("page/page.html"), {{"title", escaped_markup(title)},
                                                {"style", std::string(parts.get("page/page.css"))},
                                                {"data", json_for_script(data)},
                                                {"instead", instead},
                                                {"glossary", std::string(parts.get("glossary.md"))},
                                                {"allowed", allowed({chart, common, script})},
                                                {"chart", chart},
                                                {"common", common},
                                                {"script", script}});
}

} // namespace

std::string html_page(const Report& report)
{
    return html_page_of(report.name(), page_data(to_json(report)));
}

std::string html_page_of(const std::string& name, const std::string& data)
{
    return page(name, data,
                {"machine_words.js", "points.js", "charts.js", "colours.js", "phases.js",
                 "metrics.js", "results.js", "quantities.js", "input_and_bill.js", "axes.js",
                 "heat.js", "details.js", "series.js", "gantt.js", "contents.js", "claims.js",
                 "notes.js", "answer.js", "page.js"},
                "report.json and points.csv, which hold the same");
}

std::string document_page(const Document& document, const std::string& title)
{
    const Resources& parts = resources();
    return filled(parts.get("page/document.html"),
                  {{"title", escaped_markup(title)},
                   {"style", std::string(parts.get("page/page.css"))},
                   {"document", document.html()}});
}

std::string inferred_page(const Json& result, const std::string& title)
{
    return page(title, result.dump(), {"inferred.js"},
                "the JSON that infer writes, which holds the same");
}

} // namespace alxsim::report
