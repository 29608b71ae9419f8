// SPDX-License-Identifier: Apache-2.0
#include "base/portable_math.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace alxsim::portable {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two parts: the first has 32 bits, so that its products with exponents are exact.
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double ln10 = 0x1.26bb1bbb55516p+1;
constexpr double two_pi = 0x1.921fb54442d18p+2;
constexpr double two_over_root_pi = 0x1.20dd750429b6dp+0;

/// x = 2^exponent (1 + fraction), 1 + fraction between the roots of 1/2 and 2.
struct Parts {
    int exponent = 0;
    double fraction = 0;
};

Parts parts_of(double x)
{
    constexpr double root_of_half = 0x1.6a09e667f3bcdp-1;
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent); // in [1/2, 1)
    if (mantissa < root_of_half) {
        mantissa *= 2;
        --exponent;
    }
    return {exponent, mantissa - 1};
}

/// log(1 + f) - f, by the series of 2 artanh(s) with s = f / (2 + f).
double log1p_less_f(double f)
{
    const double s = f / (2 + f);
    const double z = s * s;
    static constexpr double coefficients[] = {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19,
                                              2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                              2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    double rest = 0; // sum 2 z^n / (2 n + 1), from n = 1
    for (const double coefficient : coefficients) {
        rest = z * (coefficient + rest);
    }
    const double half_square = 0.5 * f * f;
    return s * (half_square + rest) - half_square;
}

/// NaN, infinite or zero arguments of a logarithm.
bool is_special(double x)
{
    return !(x > 0) || x == infinity;
}

double special_log(double x)
{
    return x == 0 ? -infinity : x == infinity ? infinity : not_a_number;
}

/// The nearest whole number, halves to the even one, of |x| < 2^51: as std::nearbyint, which is a
/// call into a library where any x86-64 CPU must do.
double nearest_whole(double x)
{
    constexpr double shifter = 0x1.8p52;
    return (x + shifter) - shifter;
}

/// x 2^exponent, for 1/2 <= x < 2: as std::ldexp, likewise.
double scaled(double x, int exponent)
{
    constexpr int bias = 1023;
    if (exponent <= -bias + 1 || exponent > bias) {
        return std::ldexp(x, exponent);
    }
    const std::uint64_t bits = static_cast<std::uint64_t>(exponent + bias) << 52;
    double power = 0;
    std::memcpy(&power, &bits, sizeof power);
    return x * power;
}

/// exp(r) - 1 for |r| <= ln(2) / 2.
double small_expm1(double r)
{
    double sum = 0;
    for (int n = 15; n >= 3; --n) {
        sum = (1 + sum) * (r * (1.0 / n));
    }
    return r + 0.5 * (r * r) * (1 + sum);
}

/// Numbers that are worked on at once, each step for all of them, so that it takes one instruction
/// for several.
constexpr std::size_t block = 32;
/// Beyond, powers of two are no ordinary numbers.
constexpr double largest_in_block = 700;
/// Up to here expm1 is its own series.
constexpr double small = 0.34;

/// exp(x) of a block, or exp(x) - 1.
template <bool less_one>
void exp_of_block(const double* numbers, double* result)
{
    constexpr double shifter = 0x1.8p52;
    constexpr std::uint64_t bias = 1023;
    double x[block]; // of our own: `result` may be where the numbers are
    double shifted[block];
    double reduced[block];
    double power[block];
    std::uint64_t bits[block];
    std::memcpy(x, numbers, sizeof x);
    for (std::size_t i = 0; i < block; ++i) {
        shifted[i] = x[i] / ln2 + shifter; // its last bits are the exponent
        const double exponent = shifted[i] - shifter;
        const double rest = (x[i] - exponent * ln2_high) - exponent * ln2_low;
        reduced[i] = less_one && std::abs(x[i]) <= small ? x[i] : rest;
    }
    std::memcpy(bits, shifted, sizeof bits);
    for (std::size_t i = 0; i < block; ++i) {
        bits[i] = (bits[i] + bias) << 52;
    }
    std::memcpy(power, bits, sizeof power);
    for (std::size_t i = 0; i < block; ++i) {
        const double series = small_expm1(reduced[i]);
        const double whole = (1 + series) * power[i];
        result[i] = !less_one ? whole : std::abs(x[i]) <= small ? series : whole - 1;
    }
}

template <bool less_one>
void exp_of_all(const double* x, double* result, std::size_t count)
{
    std::size_t at = 0;
    for (; at + block <= count; at += block) {
        bool ordinary = true;
        for (std::size_t i = at; i < at + block; ++i) {
            ordinary = ordinary && std::abs(x[i]) <= largest_in_block;
        }
        if (ordinary) {
            exp_of_block<less_one>(x + at, result + at);
        } else {
            for (std::size_t i = at; i < at + block; ++i) {
                result[i] = less_one ? expm1(x[i]) : exp(x[i]);
            }
        }
    }
    for (; at < count; ++at) {
        result[at] = less_one ? expm1(x[at]) : exp(x[at]);
    }
}

double small_sin(double a)
{
    const double z = a * a;
    double sum = 0;
    for (int n = 18; n >= 4; n -= 2) {
        sum = -z * (1.0 / (n * (n + 1))) * (1 + sum);
    }
    return a - a * (z / 6) * (1 + sum);
}

double small_cos(double a)
{
    const double z = a * a;
    double sum = 0;
    for (int n = 19; n >= 3; n -= 2) {
        sum = -z * (1.0 / (n * (n + 1))) * (1 + sum);
    }
    return 1 - 0.5 * z * (1 + sum);
}

} // namespace

double log(double x)
{
    if (is_special(x)) {
        return special_log(x);
    }
    const auto [exponent, f] = parts_of(x);
    return exponent * ln2_high + (f + (log1p_less_f(f) + exponent * ln2_low));
}

double log2(double x)
{
    if (is_special(x)) {
        return special_log(x);
    }
    const auto [exponent, f] = parts_of(x);
    return exponent + (f + log1p_less_f(f)) / ln2;
}

double log10(double x)
{
    return log(x) / ln10;
}

double exp(double x)
{
    constexpr double too_large = 709.8;
    constexpr double too_small = -745.2;
    if (!(x < too_large)) {
        return x >= too_large ? infinity : not_a_number;
    }
    if (x < too_small) {
        return 0;
    }
    const double exponent = nearest_whole(x / ln2);
    const double r = (x - exponent * ln2_high) - exponent * ln2_low;
    return scaled(1 + small_expm1(r), static_cast<int>(exponent));
}

double expm1(double x)
{
    return std::abs(x) <= small ? small_expm1(x) : exp(x) - 1;
}

void exp(const double* x, double* result, std::size_t count)
{
    exp_of_all<false>(x, result, count);
}

void expm1(const double* x, double* result, std::size_t count)
{
    exp_of_all<true>(x, result, count);
}

double pow(double x, double y)
{
    if (y == 0 || y == 1) {
        return y == 0 ? 1 : x;
    }
    if (x == 0) {
        return y > 0 ? 0 : infinity;
    }
    return exp(y * log(x));
}

double cos_of_turns(double u)
{
    const double quarters = std::nearbyint(4 * u);
    const double a = two_pi * (u - 0.25 * quarters);
    switch (static_cast<int>(quarters) % 4) {
    case 0:
        return small_cos(a);
    case 1:
        return -small_sin(a);
    case 2:
        return -small_cos(a);
    default:
        return small_sin(a);
    }
}

double erf(double x)
{
    constexpr double one_from_here = 6;
    const double size = std::abs(x);
    if (size >= one_from_here) {
        return x > 0 ? 1 : -1;
    }
    double term = size;
    double sum = 0; // of 2^n x^(2n+1) / (1 3 5 ... (2n+1)), all positive
    for (int n = 1; term > 1e-18 * sum; ++n) {
        sum += term;
        term *= 2 * size * size / (2 * n + 1);
    }
    const double result = two_over_root_pi * exp(-size * size) * sum;
    return x < 0 ? -result : result;
}

} // namespace alxsim::portable
