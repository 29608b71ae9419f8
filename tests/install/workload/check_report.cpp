// SPDX-License-Identifier: Apache-2.0
// Holds the report named in the first argument against the same sweeps, done here without any
// simulator: each point's residuals, results and target. Says what it has found.
#include "jacobi.h"

#include <alxsim/report/report.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

using namespace alxsim;

namespace {

constexpr std::int64_t n = 512;
constexpr int sweeps = 6;

struct Expected {
    std::vector<double> residuals; ///< [sweep]
    std::vector<double> x;
};

Expected solve()
{
    Expected all{{}, std::vector<double>(n)};
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        std::vector<double> next = all.x;
        double squares = 0;
        for (std::int64_t row = 0; row < n; ++row) {
            double rest = 1;
            for (std::int64_t column = 0; column < n; ++column) {
                rest -= matrix_entry(row, column, n) * all.x[static_cast<std::size_t>(column)];
            }
            next[static_cast<std::size_t>(row)] += rest / 2;
            squares += rest * rest;
        }
        all.residuals.push_back(std::sqrt(squares));
        all.x = next;
    }
    return all;
}

void check(bool holds, const char* what)
{
    if (!holds) {
        std::cerr << "wrong: " << what << "\n";
        std::exit(1);
    }
}

/// f32 against f64: `scale` is what the numbers that were added up come to.
bool near(double found, double expected, double scale)
{
    return std::abs(found - expected) <= 1e-5 * scale;
}

void check_point(const report::Point& point, const Expected& expected)
{
    const report::Result& result = point.result.value();
    check(result.interval == "sweep", "the interval");
    check(result.quality.value().size() == sweeps, "the number of sweeps");
    for (const report::Quality& after : *result.quality) {
        const auto sweep = static_cast<std::size_t>(after.interval - 1);
        check(near(after.metric("residual_norm").value(), expected.residuals.at(sweep),
                   expected.residuals.front()),
              "a residual");
    }
    double sum = 0;
    for (const double x : expected.x) {
        sum += x;
    }
    check(near(result.results.at("solution").at("first"), expected.x.front(), 1), "x");
    check(near(result.results.at("solution").at("sum"), sum, sum), "the sum of x");
    check(result.epoch.phase("multiply") > 0 && result.epoch.phase("update") > 0, "its phases");
    check(result.seconds_to.size() == 1 && result.seconds_to.front().first == "residual" &&
              result.seconds_to.front().second.has_value(),
          "the time to the target");
}

} // namespace

int main(int, char* arguments[])
{
    const report::Report report = report::load_report(arguments[1]);
    const Expected expected = solve();
    check(report.points.size() == 3, "the number of points");
    check(report.metrics.size() == 1 && report.metrics[0].second.title == "norm of the residual",
          "the words for its metric");
    for (const report::Point& point : report.points) {
        check_point(point, expected);
    }
    std::cout << report.points.size() << " points have the same residuals\n";
}
