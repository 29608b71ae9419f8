// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace alxsim::experiments {
namespace {

constexpr double seconds_between_shows = 0.1;
constexpr double share_needed_for_a_guess = 0.02;
/// Share of a point: its band and what it writes come after its last step.
constexpr double most_before_the_end = 0.99;

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

std::string minutes_and_seconds(double seconds)
{
    const int whole = static_cast<int>(std::lround(seconds));
    char text[32];
    std::snprintf(text, sizeof text, "%d:%02d", whole / 60, whole % 60);
    return text;
}

} // namespace

Progress::Progress(std::vector<double> weights, bool quiet)
    : weights_(std::move(weights)),
      fractions_(weights_.size()),
      total_weight_(std::accumulate(weights_.begin(), weights_.end(), 0.0)),
      quiet_(quiet),
      start_(std::chrono::steady_clock::now()),
      shown_(start_)
{
}

double Progress::elapsed_seconds() const
{
    return seconds_between(start_, std::chrono::steady_clock::now());
}

void Progress::set_weights(std::vector<double> weights)
{
    weights_ = std::move(weights);
    total_weight_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
}

void Progress::update(std::size_t point, double fraction)
{
    fractions_[point] = std::min(fraction, most_before_the_end);
    show_at_times();
}

void Progress::doing(const std::string& what)
{
    doing_ = what;
    show_at_times();
}

void Progress::show_at_times()
{
    const auto now = std::chrono::steady_clock::now();
    if (!quiet_ && line_.is_terminal() && seconds_between(shown_, now) > seconds_between_shows) {
        shown_ = now;
        show();
    }
}

void Progress::finished(std::size_t point, const std::string& what)
{
    fractions_[point] = 1;
    ++finished_;
    doing_.clear();
    if (quiet_) {
        return;
    }
    line_.tell("[" + std::to_string(finished_) + "/" + std::to_string(weights_.size()) + "] " +
               what);
    if (line_.is_terminal()) {
        show();
    }
}

double Progress::done() const
{
    return total_weight_ > 0
               ? std::inner_product(weights_.begin(), weights_.end(), fractions_.begin(), 0.0) /
                     total_weight_
               : 1;
}

std::string Progress::time_left(double share) const
{
    return share < share_needed_for_a_guess
               ? "?"
               : minutes_and_seconds(elapsed_seconds() * (1 - share) / share);
}

void Progress::show()
{
    const double share = done();
    char text[160];
    std::snprintf(text, sizeof text, "%3.0f %%, %zu of %zu points, %s gone, about %s to go",
                  100 * share, finished_, weights_.size(),
                  minutes_and_seconds(elapsed_seconds()).c_str(), time_left(share).c_str());
    line_.show(doing_.empty() ? text : text + ("; " + doing_));
}

void Progress::tell(const std::string& what)
{
    if (!quiet_) {
        line_.tell(what);
    }
}

} // namespace alxsim::experiments
