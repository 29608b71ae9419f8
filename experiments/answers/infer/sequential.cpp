// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/sequential.h"

#include "base/numbers/mix64.h"
#include "base/portable_math.h"
#include "experiments/answers/infer/posterior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace alxsim::experiments {
namespace {

using World = DrawnWorlds::World;
using Misfit = std::function<double(const World&, double most)>;

constexpr std::size_t populations = 4;
constexpr std::size_t least_to_begin = 10;
constexpr double agrees = 1; ///< the misfit to reach
/// A level ends when a world has moved so often on average; the last one goes on for longer.
constexpr double moves_per_level = 2;
constexpr double moves_at_the_end = 15;
constexpr int most_sweeps = 60;
constexpr int most_sweeps_at_the_end = 200;
/// Where so many more halvings would be needed at the pace of the last level, nothing is there.
constexpr double hopeless_levels = 60;

/// Random numbers of one move, by what it is the move of.
class MoveNumbers {
public:
    MoveNumbers(std::uint64_t sweep_seed, std::size_t world)
        : state_(mix64(sweep_seed ^ mix64(world)))
    {
    }
    double uniform()
    {
        state_ = mix64(state_);
        return (static_cast<double>(state_ >> 11) + 0.5) * 0x1.0p-53;
    }
    std::size_t below(std::size_t count)
    {
        return std::min(count - 1,
                        static_cast<std::size_t>(uniform() * static_cast<double>(count)));
    }
    double normal()
    {
        const double radius = std::sqrt(-2 * portable::log(uniform()));
        return radius * portable::cos_of_turns(uniform());
    }

private:
    std::uint64_t state_;
};

/// A quantile that left [0, 1] at one end comes in at the other. A mirror would not do: where only
/// some unknowns are mirrored, the way back is not as likely as the way there.
double wrapped(double quantile)
{
    return std::clamp(quantile - std::floor(quantile), 1e-9, 1 - 1e-9);
}

/// A step along the difference of two worlds of the other half: on all unknowns at once, because a
/// figure that is the same for both then changes little on the way.
World along_a_difference(const World& from, const World* others, std::size_t count,
                         MoveNumbers& numbers)
{
    const World& a = others[numbers.below(count)];
    const World& b = others[numbers.below(count)];
    const double reach = numbers.uniform() < 0.1 ? 1.0 : numbers.uniform();
    World to = from;
    for (std::size_t column = 0; column < from.size(); ++column) {
        to[column] =
            wrapped(from[column] + reach * (a[column] - b[column]) + 0.01 * numbers.normal());
    }
    return to;
}

/// One to five unknowns drawn anew.
World drawn_anew(const World& from, MoveNumbers& numbers)
{
    World to = from;
    for (std::size_t left = 1 + numbers.below(5); left > 0; --left) {
        to[numbers.below(to.size())] = numbers.uniform();
    }
    return to;
}

/// One population on its way down the levels.
class Population {
public:
    Population(std::vector<World> worlds, std::vector<double> misfits, std::uint64_t seed,
               const Misfit& misfit, HostPool& pool)
        : worlds_(std::move(worlds)),
          misfits_(std::move(misfits)),
          seed_(seed),
          misfit_(misfit),
          pool_(pool)
    {
        level_ = *std::max_element(misfits_.begin(), misfits_.end());
    }

    /// Whether misfit 1 was reached. `done(share)`.
    bool descend(const std::function<void(double)>& done)
    {
        const double first = std::max(level_, agrees);
        while (level_ > agrees) {
            const double before = level_;
            halve();
            const bool last = level_ <= agrees;
            const double moved = move_until(last ? moves_at_the_end : moves_per_level,
                                            last ? most_sweeps_at_the_end : most_sweeps);
            const double pace = portable::log(before / level_);
            if (!last && (moved < 0.5 || pace * hopeless_levels < portable::log(level_))) {
                return false;
            }
            if (done) {
                done(1 - portable::log(level_) / portable::log(first * 1.000001));
            }
        }
        if (levels_ == 0) {
            move_until(moves_at_the_end, most_sweeps_at_the_end);
        }
        return true;
    }

    const std::vector<World>& worlds() const { return worlds_; }
    double share() const { return share_; } ///< of the worlds that the population began with
    int levels() const { return levels_; }
    double acceptance() const { return acceptance_; }

private:
    /// Lowers the level to the better half's worst misfit, at least to 1, and puts copies of that
    /// half in place of the others.
    void halve()
    {
        std::vector<double> sorted = misfits_;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2 - 1);
        std::nth_element(sorted.begin(), middle, sorted.end());
        level_ = std::max(agrees, *middle);
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < worlds_.size(); ++i) {
            if (misfits_[i] <= level_) {
                kept.push_back(i);
            }
        }
        share_ *= static_cast<double>(kept.size()) / static_cast<double>(worlds_.size());
        ++levels_;
        MoveNumbers numbers(mix64(seed_ + static_cast<std::uint64_t>(levels_)), worlds_.size());
        for (std::size_t i = 0; i < worlds_.size(); ++i) {
            if (misfits_[i] > level_) {
                const std::size_t from = kept[numbers.below(kept.size())];
                worlds_[i] = worlds_[from];
                misfits_[i] = misfits_[from];
            }
        }
    }

    /// Sweeps until each world has moved `wanted` times on average; returns how often they did.
    double move_until(double wanted, int most)
    {
        std::size_t moved = 0;
        int sweeps = 0;
        const auto count = static_cast<double>(worlds_.size());
        while (static_cast<double>(moved) < wanted * count && sweeps < most) {
            moved += sweep();
            ++sweeps;
        }
        acceptance_ = static_cast<double>(moved) / count / std::max(1, sweeps);
        return static_cast<double>(moved) / count;
    }

    /// Each half in turn, so that no world moves by one that moves at the same time.
    std::size_t sweep()
    {
        const std::uint64_t sweep_seed = mix64(mix64(seed_) + ++sweeps_);
        const std::size_t half = worlds_.size() / 2;
        const std::size_t rest = worlds_.size() - half;
        return move(0, half, worlds_.data() + half, rest, sweep_seed) +
               move(half, rest, worlds_.data(), half, sweep_seed);
    }

    std::size_t move(std::size_t begin, std::size_t count, const World* others,
                     std::size_t other_count, std::uint64_t sweep_seed)
    {
        std::vector<char> moved(count, 0);
        pool_.for_chunks(
            static_cast<std::int64_t>(count), 4, [&](std::int64_t from, std::int64_t to) {
                for (auto k = static_cast<std::size_t>(from); k < static_cast<std::size_t>(to);
                     ++k) {
                    const std::size_t i = begin + k;
                    MoveNumbers numbers(sweep_seed, i);
                    World next = numbers.uniform() < 0.85
                                     ? along_a_difference(worlds_[i], others, other_count, numbers)
                                     : drawn_anew(worlds_[i], numbers);
                    const double found = misfit_(next, level_);
                    if (found <= level_) {
                        worlds_[i] = std::move(next);
                        misfits_[i] = found;
                        moved[k] = 1;
                    }
                }
            });
        return static_cast<std::size_t>(std::count(moved.begin(), moved.end(), 1));
    }

    std::vector<World> worlds_;
    std::vector<double> misfits_;
    std::uint64_t seed_;
    const Misfit& misfit_;
    HostPool& pool_;
    double level_;
    double share_ = 1;
    double acceptance_ = 0;
    int levels_ = 0;
    std::uint64_t sweeps_ = 0;
};

/// The variance of the populations' means of one unknown over that of means of independent worlds.
double inefficiency_of(const std::vector<Population>& all, std::size_t column)
{
    const auto size = static_cast<double>(all.front().worlds().size());
    std::array<double, populations> means{};
    double within = 0;
    for (std::size_t p = 0; p < populations; ++p) {
        double squares = 0;
        for (const World& world : all[p].worlds()) {
            means[p] += world[column] / size;
            squares += world[column] * world[column] / size;
        }
        within += (squares - means[p] * means[p]) / populations;
    }
    const double mean = std::accumulate(means.begin(), means.end(), 0.0) / populations;
    double between = 0;
    for (const double one : means) {
        between += (one - mean) * (one - mean) / (populations - 1);
    }
    return within > 0 ? between * size / within : 1.0;
}

/// Its mean over the unknowns that moved from the prior; over all where none did.
double inefficiency_of(const std::vector<Population>& all, const std::vector<World>& worlds)
{
    const std::vector<double> ones(worlds.size(), 1.0);
    double of_moved = 0;
    double of_all = 0;
    double moved = 0;
    const std::size_t unknowns = worlds.front().size();
    for (std::size_t column = 0; column < unknowns; ++column) {
        std::vector<double> quantiles;
        quantiles.reserve(worlds.size());
        for (const World& world : worlds) {
            quantiles.push_back(world[column]);
        }
        const double one = inefficiency_of(all, column);
        of_all += one / static_cast<double>(unknowns);
        if (distance_to_prior(quantiles, ones) >= constrained_distance) {
            of_moved += one;
            moved += 1;
        }
    }
    return std::max({1.0, of_all, moved > 0 ? of_moved / moved : 0.0});
}

} // namespace

SequentialDraws draw_sequentially(const std::vector<World>& prior,
                                  const std::vector<double>& misfits, const Misfit& misfit,
                                  const SequentialOptions& options, HostPool& pool)
{
    std::vector<std::size_t> nearest;
    for (std::size_t i = 0; i < prior.size(); ++i) {
        if (std::isfinite(misfits[i])) {
            nearest.push_back(i);
        }
    }
    SequentialDraws draws;
    if (nearest.size() < least_to_begin) {
        return draws;
    }
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::size_t a, std::size_t b) { return misfits[a] < misfits[b]; });
    nearest.resize(std::min(nearest.size(), options.worlds));
    std::vector<Population> all;
    for (std::size_t p = 0; p < populations; ++p) {
        std::vector<World> worlds;
        std::vector<double> own;
        for (std::size_t k = p; worlds.size() < options.worlds / populations; k += populations) {
            const std::size_t from = nearest[k % nearest.size()];
            worlds.push_back(prior[from]);
            own.push_back(misfits[from]);
        }
        all.emplace_back(std::move(worlds), std::move(own), mix64(options.seed ^ mix64(p)), misfit,
                         pool);
        const auto part = [&](double share) {
            if (options.progress) {
                options.progress((static_cast<double>(p) + share) / populations);
            }
        };
        if (!all.back().descend(part)) {
            return draws;
        }
    }
    const double begun = static_cast<double>(nearest.size()) / static_cast<double>(prior.size());
    for (const Population& population : all) {
        draws.worlds.insert(draws.worlds.end(), population.worlds().begin(),
                            population.worlds().end());
        draws.share += begun * population.share() / populations;
        draws.levels = std::max(draws.levels, population.levels());
        draws.acceptance += population.acceptance() / populations;
    }
    draws.inefficiency = inefficiency_of(all, draws.worlds);
    return draws;
}

} // namespace alxsim::experiments
