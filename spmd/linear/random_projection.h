// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::spmd {

/// How the entries of a random matrix are drawn, with mean 0 and variance 1.
enum class RandomEntries { signs, normal, very_sparse };

/// f(x) = (1 / sqrt M) (R_1 x ... x R_d) x: the projection of vectors of N = prod n numbers to M =
/// prod m whose matrix is a Kronecker product of random R_k [m_k x n_k]. With one mode it is the
/// dense one. Of several modes it is the rank-one tensor-train projection of Feng, Tang, He, Zhou,
/// Liao (2023, doi 10.32604/cmes.2022.021636). E |f(x)|^2 = |x|^2 for any x.
///
/// very_sparse (Li, Hastie, Church 2006, doi 10.1145/1150402.1150436): of n_k columns an entry is
/// +-sqrt s with a chance of 1 / 2s each and else 0, s = sqrt n_k.
class RandomProjection {
public:
    /// R_k is of the stream `stream` + k, k from 0 on. Throws std::logic_error unless there are as
    /// many `n` as `m`, one or more.
    RandomProjection(RandomEntries entries, std::vector<std::int64_t> n,
                     std::vector<std::int64_t> m, std::uint64_t stream);

    std::size_t modes() const { return n_.size(); }
    const std::vector<std::int64_t>& n() const { return n_; }
    const std::vector<std::int64_t>& m() const { return m_; }
    std::int64_t numbers() const; ///< N
    std::int64_t kept() const;    ///< M

    /// R_k [m_k x n_k], row-major; the first is divided by sqrt M.
    std::vector<double> matrix(std::size_t mode) const;

    /// f(x) in f64 of each row of `x` [vectors x N], its first mode slowest: [vectors x M].
    std::vector<double> project(const std::vector<double>& x) const;

    /// The variance of |f(x)|^2 over all R, exactly: E |f|^4 is the sum over all 4^d choices of a
    /// pairing of four copies of x in each mode, (12|34) with weight 1, (13|24) and (14|23) with
    /// 1/m_k, all equal with (kurtosis - 3)/m_k. Takes 4^d N^2 operations, but n_1 n_1 n_2 with two
    /// modes and N with one.
    double variance(const std::vector<double>& x) const;
    double variance_operations() const;
    /// As described, for any number of modes.
    double variance_by_pairings(const std::vector<double>& x) const;

private:
    double entry(std::size_t mode, std::int64_t index) const;
    double excess(std::size_t mode) const; ///< (kurtosis - 3) / m_k

    RandomEntries entries_;
    std::vector<std::int64_t> n_, m_;
    std::uint64_t stream_;
};

/// Returns moments of |f(x)|^2 / |x|^2 over vectors, 1 where both are 0: its mean, and that of its
/// square. `x` [vectors x N], `f` [vectors x M].
std::vector<double> norm_ratios(const std::vector<double>& x, const std::vector<double>& f,
                                std::int64_t vectors);

/// What the standard deviation is over all draws, with the mean over vectors of the variance.
/// Nothing where that takes more than some 2e8 operations.
std::optional<double> exact_ratio_deviation(const RandomProjection& projection,
                                            const std::vector<double>& x, std::int64_t vectors);

/// {mean, standard_deviation} over vectors and draws, of norm_ratios() of each draw, and
/// exact_standard_deviation if it is known.
Json ratios_json(const std::vector<std::vector<double>>& of_draws,
                 const std::optional<double>& exact);

} // namespace alxsim::spmd
