// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::transformer {

// What a mixture of experts computes beside products, for f32 and f64 (Real); matrices are
// row-major and dense. Whole numbers (experts, places, counts) stand in arrays of Real as well:
// all are below 2^24. Formulas: Shazeer et al. 2017 (the largest logits, a softmax over them),
// Lepikhin et al. 2021 (capacity).

/// Tokens of a device, and the experts that each of them goes to.
struct Routing {
    std::int64_t tokens = 0;
    std::int64_t experts = 0;
    std::int64_t per_token = 1;
    std::int64_t length = 0; ///< tokens of a sequence
    /// Places of an expert for each sequence; 0: for all that come.
    std::int64_t capacity = 0;

    std::int64_t pairs() const { return tokens * per_token; } ///< of a token and a choice
    std::int64_t sequences() const { return tokens / length; }
    /// Rows of the buffer in which a device's tokens stand by experts: of an expert `sequences`
    /// times `capacity` places, or as many as there are pairs.
    std::int64_t buffer_rows() const
    {
        return capacity > 0 ? experts * sequences() * capacity : pairs();
    }
};

/// ceil(factor * length * per_token / experts), at least one; no factor: 0.
std::int64_t capacity_of(double factor, std::int64_t length, std::int64_t per_token,
                         std::int64_t experts);

/// chosen[token][:]: its per_token largest of logits [tokens x experts], the largest first; of
/// equal ones the lower expert.
template <class Real>
void choose_experts(const Routing& routing, const Real* logits, Real* chosen);
/// weights[token][:] = softmax over the logits of those chosen.
template <class Real>
void choice_weights(const Routing& routing, const Real* logits, const Real* chosen, Real* weights);
/// dlogits [tokens x experts], zero where nothing was chosen.
template <class Real>
void choice_weights_backward(const Routing& routing, const Real* chosen, const Real* weights,
                             const Real* dweights, Real* dlogits);

/// places[pair]: the row of the buffer where it stands, -1 where none was left; counts[expert]: how
/// many stand with it. In the buffer an expert's rows follow the last one's: with capacity
/// [experts x sequences x capacity], filled in the order of pairs, else as many as came.
template <class Real>
void places_of(const Routing& routing, const Real* chosen, Real* places, Real* counts);

/// buffer[place] = x[token], zero where no pair stands; columns: numbers of a row.
template <class Real>
void dispatch_rows(const Routing& routing, const Real* places, const Real* x, std::int64_t columns,
                   Real* buffer);
/// dx[token] = sum over its choices of dbuffer[place].
template <class Real>
void dispatch_backward(const Routing& routing, const Real* places, const Real* dbuffer,
                       std::int64_t columns, Real* dx);

/// y[token] = sum over its choices of weight times buffer[place].
template <class Real>
void combine_rows(const Routing& routing, const Real* places, const Real* weights,
                  const Real* buffer, std::int64_t columns, Real* y);
/// dbuffer, which has dy of its token in each row, becomes weight times that; dweights[pair] = dy
/// buffer[place], 0 where it has no place.
template <class Real>
void combine_backward(const Routing& routing, const Real* places, const Real* weights,
                      const Real* buffer, std::int64_t columns, Real* dbuffer, Real* dweights);

/// Without capacity: rows[pair] = buffer[place].
template <class Real>
void take_rows(const Routing& routing, const Real* places, const Real* buffer, std::int64_t columns,
               Real* rows);
/// y[token] = sum over its choices of weight times rows[pair]; null: of rows[pair].
template <class Real>
void weighted_sums(const Routing& routing, const Real* weights, const Real* rows,
                   std::int64_t columns, Real* y);

/// Rows that came from the members of a group, one member's after the other's, each member's by
/// experts: counts [members x experts] of all of them.
struct ReceivedRows {
    std::int64_t members = 1;
    std::int64_t experts = 0; ///< of all members
    std::int64_t first = 0;   ///< expert that stands here
    std::int64_t here = 0;    ///< experts that do
};

/// Rows of each expert that stands here.
template <class Real>
std::vector<std::int64_t> rows_of_experts(const ReceivedRows& received, const Real* counts);
/// Rows that came from each member.
template <class Real>
std::vector<std::int64_t> rows_of_members(const ReceivedRows& received, const Real* counts);
/// Deals a device's own counts [experts] to members in order: rows for each.
template <class Real>
std::vector<std::int64_t> rows_for_members(const Real* counts, std::int64_t experts,
                                           std::int64_t members);
/// [row as received]: where it stands if rows stand by experts, each expert's as they came.
template <class Real>
std::vector<std::int64_t> grouped_places(const ReceivedRows& received, const Real* counts);

/// y[places[row]] = x[row]; or y[row] = x[places[row]].
template <class Real>
void scatter_rows(const std::vector<std::int64_t>& places, const Real* x, std::int64_t columns,
                  Real* y);
template <class Real>
void gather_rows(const std::vector<std::int64_t>& places, const Real* x, std::int64_t columns,
                 Real* y);

} // namespace alxsim::transformer
