// SPDX-License-Identifier: Apache-2.0
#include "program/serve/page.h"

#include "program/serve/resources.h"
#include "report/page/colours.h"
#include "report/resources.h"

#include <algorithm>
#include <iterator>

namespace alxsim::program {
namespace {

struct Part {
    const char* name;
    const char* type;
    const char* resource;
    bool of_report; ///< shared with the report's page
};

const Part parts[] = {
    {"serve.css", "text/css; charset=utf-8", "serve/page/serve.css", false},
    {"settings.js", "text/javascript; charset=utf-8", "serve/page/settings.js", false},
    {"drawing.js", "text/javascript; charset=utf-8", "serve/page/drawing.js", false},
    {"serve.js", "text/javascript; charset=utf-8", "serve/page/serve.js", false},
    {"page.css", "text/css; charset=utf-8", "page/page.css", true},
    {"common.js", "text/javascript; charset=utf-8", "page/common.js", true},
    {"machine_words.js", "text/javascript; charset=utf-8", "page/machine_words.js", true},
    {"chart.js", "text/javascript; charset=utf-8", "chart.min.js", true},
};

/// The page, with the glossary in it, from which the report's words take their meanings.
std::string page()
{
    std::string html(serve::resources().get("serve/page/serve.html"));
    const std::string place = "{{glossary}}";
    return html.replace(html.find(place), place.size(), report::resources().get("glossary.md"));
}

} // namespace

std::optional<PageFile> page_file(const std::string& name)
{
    if (name.empty()) {
        return PageFile{"text/html; charset=utf-8", page()};
    }
    if (name == "colours.js") {
        return PageFile{"text/javascript; charset=utf-8", report::colours_script()};
    }
    const auto part = std::find_if(std::begin(parts), std::end(parts),
                                   [&](const Part& one) { return one.name == name; });
    if (part == std::end(parts)) {
        return std::nullopt;
    }
    const Resources& resources = part->of_report ? report::resources() : serve::resources();
    return PageFile{part->type, std::string(resources.get(part->resource))};
}

} // namespace alxsim::program
