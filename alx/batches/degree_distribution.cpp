// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/degree_distribution.h"

#include "base/input_error.h"
#include "base/numbers/random.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace alxsim::alx {
namespace {

/// Terms summed one by one; beyond, the integral over [n - 1/2, n + 1/2] is right to 1e-7.
constexpr std::int64_t exact_terms = 4096;

/// Integral of x^-s.
double power_integral(double begin, double end, double s)
{
    if (std::abs(s - 1.0) < 1e-9) {
        return portable::log(end / begin);
    }
    return (portable::pow(end, 1.0 - s) - portable::pow(begin, 1.0 - s)) / (1.0 - s);
}

/// Where the integral of x^-s from `begin` reaches `mass`; infinite if it never does.
double end_of_mass(double begin, double mass, double s)
{
    if (std::abs(s - 1.0) < 1e-9) {
        return begin * portable::exp(mass);
    }
    const double power = portable::pow(begin, 1.0 - s) + (1.0 - s) * mass;
    return power > 0 ? portable::pow(power, 1.0 / (1.0 - s))
                     : std::numeric_limits<double>::infinity();
}

/// Sums of (n + shift)^-s over [first, last] for one shift and many s, which share the logarithms.
class PowerSums {
public:
    PowerSums(std::int64_t first, std::int64_t last, double shift)
        : split_(std::min(last, first + exact_terms)),
          last_(last),
          shift_(shift)
    {
        bases_.reserve(static_cast<std::size_t>(split_ - first + 1));
        logarithms_.reserve(bases_.capacity());
        for (std::int64_t n = first; n <= split_; ++n) {
            bases_.push_back(static_cast<double>(n) + shift);
            logarithms_.push_back(portable::log(bases_.back()));
        }
    }

    double operator()(double s) const
    {
        double sum = 0;
        if (s == 0 || s == -1) { // where portable::pow takes no logarithm
            for (const double base : bases_) {
                sum += portable::pow(base, -s);
            }
        } else {
            std::vector<double> powers(logarithms_.size());
            std::transform(logarithms_.begin(), logarithms_.end(), powers.begin(),
                           [s](double logarithm) { return -s * logarithm; });
            portable::exp(powers.data(), powers.data(), powers.size());
            for (const double power : powers) {
                sum += power;
            }
        }
        if (split_ < last_) {
            sum += power_integral(static_cast<double>(split_) + 0.5 + shift_,
                                  static_cast<double>(last_) + 0.5 + shift_, s);
        }
        return sum;
    }

private:
    std::int64_t split_; ///< the last one that is summed by itself
    std::int64_t last_;
    double shift_;
    std::vector<double> bases_;
    std::vector<double> logarithms_;
};

double mean_at(const PowerSums& sums, double shift, double exponent)
{
    return sums(exponent - 1.0) / sums(exponent) - shift;
}

/// The same length from the other end, so that what is lacking is counted.
double mirrored(LengthLaw law, std::int64_t shortest, std::int64_t longest, double length)
{
    return law == LengthLaw::lacking ? static_cast<double>(shortest + longest) - length : length;
}

/// Where a rising function surely is below what is wanted, and where it surely is not.
struct Bracket {
    double below = -std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
};

/// Where `mean`, a rising function, reaches `wanted`: what 60 halvings find. They call `mean`
/// within the bracket alone.
template <class Mean>
double bisect(double low, double high, double wanted, const Bracket& bracket, const Mean& mean)
{
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        if (middle == low || middle == high) {
            return middle; // neighbours: further halvings stay there
        }
        const bool below =
            middle <= bracket.below || (middle < bracket.above && mean(middle) < wanted);
        (below ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// A narrow bracket of where a smooth `mean` reaches `wanted`, by regula falsi on its logarithm
/// (the Illinois variant) after some halvings: half of the calls of halvings alone. Wide where that
/// does not settle, and beyond `steepest`, where the mean hardly follows the exponent. The margin
/// is far above what rounding does to `mean`.
template <class Mean>
Bracket narrow_bracket(double low, double high, double wanted, const Mean& mean)
{
    constexpr int halvings = 6;
    constexpr int most_steps = 20;
    constexpr double steepest = 10;
    constexpr double margin = 1e-12;
    constexpr double rounding = 1e-13; // of the mean, relative
    const auto excess = [&](double x) { return portable::log(mean(x) / wanted); };
    double below = -1; // excess at low, if it is known
    double above = 1;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        const double found = excess(middle);
        (found < 0 ? low : high) = middle;
        (found < 0 ? below : above) = found;
    }
    double x = low;
    int side = 0;
    for (int i = 0; i < most_steps; ++i) {
        const double next = low - below * (high - low) / (above - below);
        const bool settled = std::abs(next - x) < margin / 8;
        x = next;
        if (settled || !(low < x && x < high)) {
            break;
        }
        const double found = excess(x);
        const int now = found < 0 ? -1 : 1;
        if (now < 0) {
            low = x;
            below = found;
            above /= side == now ? 2 : 1;
        } else {
            high = x;
            above = found;
            below /= side == now ? 2 : 1;
        }
        side = now;
    }
    const double slope = (above - below) / (high - low);
    const double width = margin * std::max(1.0, std::abs(x)) + rounding / slope;
    const Bracket bracket{x - width, x + width};
    const bool holds =
        std::abs(x) < steepest && mean(bracket.below) < wanted && mean(bracket.above) >= wanted;
    return holds ? bracket : Bracket{};
}

} // namespace

LengthLaw length_law(std::int64_t shortest, std::int64_t longest, double mean)
{
    const auto low = static_cast<double>(shortest);
    const auto high = static_cast<double>(longest);
    if (mean < low || mean > high) {
        throw InputError("found a mean length of " + std::to_string(mean) + ", lengths from " +
                         std::to_string(shortest) + " to " + std::to_string(longest) +
                         " links allow means from " + std::to_string(shortest) + " to " +
                         std::to_string(longest));
    }
    return mean == low || mean == high ? LengthLaw::equal
           : mean > (low + high) / 2   ? LengthLaw::lacking
                                       : LengthLaw::power;
}

DegreeDistribution::DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean)
    : shortest_(shortest),
      longest_(longest),
      mean_(mean),
      law_(length_law(shortest, longest, mean))
{
    if (law_ == LengthLaw::equal) {
        return;
    }
    // The mean falls as the exponent rises.
    const double wanted = mirrored(law_, shortest, longest, mean);
    const PowerSums sums(shortest, longest, 0);
    const auto mean_of = [&](double negative) { return mean_at(sums, 0, -negative); };
    exponent_ = -bisect(-64, 0, wanted, narrow_bracket(-64, 0, wanted, mean_of), mean_of);
}

DegreeDistribution::DegreeDistribution(std::int64_t shortest, std::int64_t longest, double mean,
                                       double exponent)
    : shortest_(shortest),
      longest_(longest),
      mean_(mean),
      law_(length_law(shortest, longest, mean)),
      exponent_(law_ == LengthLaw::equal ? 0 : exponent)
{
    if (law_ == LengthLaw::equal) {
        return;
    }
    const double wanted = mirrored(law_, shortest, longest, mean);
    const auto shift_at = [&](double logarithm) {
        return portable::exp(logarithm) - static_cast<double>(shortest);
    };
    shift_ = shift_at(
        bisect(-30, portable::log(static_cast<double>(longest)) + 10, wanted, {}, [&](double x) {
            const double shift = shift_at(x);
            return mean_at(PowerSums(shortest, longest, shift), shift, exponent);
        }));
}

std::vector<std::int64_t> DegreeDistribution::quantile_means(std::int64_t count) const
{
    if (law_ == LengthLaw::equal) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(count), std::llround(mean_));
    }
    std::vector<std::int64_t> lengths = power_law_means(count);
    if (law_ == LengthLaw::lacking) {
        std::reverse(lengths.begin(), lengths.end());
        for (std::int64_t& length : lengths) {
            length = shortest_ + longest_ - length;
        }
    }
    return lengths;
}

std::vector<std::int64_t> DegreeDistribution::power_law_means(std::int64_t count) const
{
    std::vector<std::int64_t> lengths;
    lengths.reserve(static_cast<std::size_t>(count));
    // Walks through the lengths, pouring each one's mass into ranges of mass 1.
    const double scale =
        static_cast<double>(count) / PowerSums(shortest_, longest_, shift_)(exponent_);
    const std::int64_t split = std::min(longest_, shortest_ + exact_terms);
    double room = 1;
    double sum = 0;
    for (std::int64_t n = shortest_; n <= split; ++n) {
        double mass = scale * portable::pow(static_cast<double>(n) + shift_, -exponent_);
        while (mass >= room && lengths.size() < static_cast<std::size_t>(count)) {
            lengths.push_back(std::llround(sum + room * static_cast<double>(n)));
            mass -= room;
            room = 1;
            sum = 0;
        }
        room -= mass;
        sum += mass * static_cast<double>(n);
    }
    // Beyond, range by range: both ends of each follow from the integral.
    const double end = static_cast<double>(longest_) + 0.5 + shift_;
    for (double at = static_cast<double>(split) + 0.5 + shift_; at < end;) {
        const double next = std::min(end, end_of_mass(at, room / scale, exponent_));
        const double mass = scale * power_integral(at, next, exponent_);
        sum += scale * power_integral(at, next, exponent_ - 1) - shift_ * mass;
        room -= mass;
        at = next;
        if (at < end && lengths.size() < static_cast<std::size_t>(count)) {
            lengths.push_back(std::llround(sum));
            room = 1;
            sum = 0;
        }
    }
    // The last range is full up to rounding.
    const auto rest = std::llround(sum / std::max(1 - room, 1e-9));
    lengths.resize(static_cast<std::size_t>(count),
                   std::clamp<std::int64_t>(rest, shortest_, longest_));
    return lengths;
}

std::vector<std::int64_t> DegreeDistribution::sample(std::int64_t count, std::uint64_t seed) const
{
    std::vector<std::int64_t> lengths = quantile_means(count);
    SplitMix64 random(mix64(seed));
    for (std::size_t i = lengths.size(); i > 1; --i) {
        std::swap(lengths[i - 1], lengths[random.below(i)]);
    }
    return lengths;
}

} // namespace alxsim::alx
