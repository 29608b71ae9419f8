// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace alxsim::portable {

// Elementary functions of f64 made of IEEE additions, multiplications and divisions alone: the same
// bits on every CPU. The C library's are not: glibc chooses other code, with other last bits, where
// the CPU has fused multiply-add. Series and argument reductions are textbook ones (Muller,
// "Elementary Functions", 3rd ed., chapters 3 and 11); errors are held by a test.

/// Natural logarithm, within 1 ulp. -infinity at 0, NaN below.
double log(double x);
/// Within 2 ulp; exact at powers of two.
double log2(double x);
double log10(double x);
/// Within 1 ulp; 0 and infinity beyond the range of f64.
double exp(double x);
/// exp(x) - 1, within 4 ulp.
double expm1(double x);
/// Both of `count` numbers: the same bits as one by one, in half the time or less.
void exp(const double* x, double* result, std::size_t count);
void expm1(const double* x, double* result, std::size_t count);
/// x^y for x >= 0; within 2 |y ln x| + 2 ulp; x itself for y = 1.
double pow(double x, double y);
/// cos(2 pi u), 0 <= u <= 1, within 2e-16.
double cos_of_turns(double u);
/// Error function, within 4e-15.
double erf(double x);

} // namespace alxsim::portable
