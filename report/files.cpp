// SPDX-License-Identifier: Apache-2.0
#include "report/files.h"

#include "base/host_pool.h"
#include "base/input_error.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/schema/report_schema.h"

#include <array>
#include <functional>
#include <stdexcept>

namespace alxsim::report {
namespace {

void check(const Json& report)
{
    try {
        validate_report(report, "report");
    } catch (const InputError& error) {
        throw std::logic_error(error.what());
    }
}

} // namespace

ReportFiles files_of(const Report& report, int threads)
{
    const Json json = to_json(report);
    ReportFiles files;
    // Two threads have a half each: what takes longest is with what takes least.
    const std::array<std::function<void()>, 4> parts{
        [&] { check(json); },
        [&] { files.html = html_page(report.name(), json); },
        [&] { files.csv = points_csv(json.at("points")); },
        [&] { files.json = json.dump(2) + "\n"; },
    };
    HostPool(threads).for_chunks(
        static_cast<std::int64_t>(parts.size()), 1,
        [&parts](std::int64_t begin, std::int64_t) { parts[static_cast<std::size_t>(begin)](); });
    return files;
}

} // namespace alxsim::report
