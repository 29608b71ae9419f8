// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_math.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::transformer {
namespace {

/// Calls body(pair, token, place) for the pairs that have one, in ascending order.
template <class Real, class Body>
void for_each_placed(const Routing& routing, const Real* places, const Body& body)
{
    for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
        if (places[pair] >= 0) {
            body(pair, pair / routing.per_token, static_cast<std::int64_t>(places[pair]));
        }
    }
}

template <class Real>
std::int64_t count_at(const ReceivedRows& received, const Real* counts, std::int64_t member,
                      std::int64_t expert)
{
    return static_cast<std::int64_t>(counts[member * received.experts + received.first + expert]);
}

} // namespace

std::int64_t capacity_of(double factor, std::int64_t length, std::int64_t per_token,
                         std::int64_t experts)
{
    if (factor <= 0) {
        return 0;
    }
    const double places = factor * static_cast<double>(length * per_token);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(places / static_cast<double>(experts))));
}

template <class Real>
void choose_experts(const Routing& routing, const Real* logits, Real* chosen)
{
    std::vector<bool> taken(static_cast<std::size_t>(routing.experts));
    for (std::int64_t token = 0; token < routing.tokens; ++token) {
        const Real* const row = logits + token * routing.experts;
        std::fill(taken.begin(), taken.end(), false);
        for (std::int64_t choice = 0; choice < routing.per_token; ++choice) {
            std::int64_t best = -1;
            for (std::int64_t i = 0; i < routing.experts; ++i) {
                if (!taken[static_cast<std::size_t>(i)] && (best < 0 || row[i] > row[best])) {
                    best = i;
                }
            }
            taken[static_cast<std::size_t>(best)] = true;
            chosen[token * routing.per_token + choice] = static_cast<Real>(best);
        }
    }
}

template <class Real>
void choice_weights(const Routing& routing, const Real* logits, const Real* chosen, Real* weights)
{
    const std::int64_t k = routing.per_token;
    std::vector<double> powers(static_cast<std::size_t>(k));
    for (std::int64_t token = 0; token < routing.tokens; ++token) {
        const Real* const row = logits + token * routing.experts;
        const Real* const experts = chosen + token * k;
        const auto largest = static_cast<double>(row[static_cast<std::int64_t>(experts[0])]);
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            double& power = powers[static_cast<std::size_t>(i)];
            power = portable::exp(static_cast<double>(row[static_cast<std::int64_t>(experts[i])]) -
                                  largest);
            sum += power;
        }
        for (std::int64_t i = 0; i < k; ++i) {
            weights[token * k + i] = static_cast<Real>(powers[static_cast<std::size_t>(i)] / sum);
        }
    }
}

template <class Real>
void choice_weights_backward(const Routing& routing, const Real* chosen, const Real* weights,
                             const Real* dweights, Real* dlogits)
{
    const std::int64_t k = routing.per_token;
    std::fill_n(dlogits, routing.tokens * routing.experts, Real(0));
    for (std::int64_t token = 0; token < routing.tokens; ++token) {
        Real mean = 0;
        for (std::int64_t pair = token * k; pair < (token + 1) * k; ++pair) {
            mean += weights[pair] * dweights[pair];
        }
        for (std::int64_t pair = token * k; pair < (token + 1) * k; ++pair) {
            dlogits[token * routing.experts + static_cast<std::int64_t>(chosen[pair])] =
                weights[pair] * (dweights[pair] - mean);
        }
    }
}

template <class Real>
void places_of(const Routing& routing, const Real* chosen, Real* places, Real* counts)
{
    std::fill_n(counts, routing.experts, Real(0));
    for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
        counts[static_cast<std::int64_t>(chosen[pair])] += 1;
    }
    std::vector<std::int64_t> next(static_cast<std::size_t>(routing.experts), 0);
    if (routing.capacity == 0) {
        for (std::size_t i = 1; i < next.size(); ++i) {
            next[i] = next[i - 1] + static_cast<std::int64_t>(counts[i - 1]);
        }
        for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
            places[pair] = static_cast<Real>(next[static_cast<std::size_t>(chosen[pair])]++);
        }
        return;
    }
    const std::int64_t of_sequence = routing.length * routing.per_token;
    std::fill_n(counts, routing.experts, Real(0));
    for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
        const std::int64_t sequence = pair / of_sequence;
        if (pair % of_sequence == 0) {
            std::fill(next.begin(), next.end(), 0);
        }
        const auto expert = static_cast<std::int64_t>(chosen[pair]);
        std::int64_t& place = next[static_cast<std::size_t>(expert)];
        places[pair] = -1;
        if (place < routing.capacity) {
            places[pair] = static_cast<Real>(
                (expert * routing.sequences() + sequence) * routing.capacity + place++);
            counts[expert] += 1;
        }
    }
}

template <class Real>
void dispatch_rows(const Routing& routing, const Real* places, const Real* x, std::int64_t columns,
                   Real* buffer)
{
    std::fill_n(buffer, routing.buffer_rows() * columns, Real(0));
    for_each_placed(routing, places, [&](std::int64_t, std::int64_t token, std::int64_t place) {
        std::copy_n(x + token * columns, columns, buffer + place * columns);
    });
}

template <class Real>
void dispatch_backward(const Routing& routing, const Real* places, const Real* dbuffer,
                       std::int64_t columns, Real* dx)
{
    std::fill_n(dx, routing.tokens * columns, Real(0));
    for_each_placed(routing, places, [&](std::int64_t, std::int64_t token, std::int64_t place) {
        for (std::int64_t i = 0; i < columns; ++i) {
            dx[token * columns + i] += dbuffer[place * columns + i];
        }
    });
}

template <class Real>
void combine_rows(const Routing& routing, const Real* places, const Real* weights,
                  const Real* buffer, std::int64_t columns, Real* y)
{
    std::fill_n(y, routing.tokens * columns, Real(0));
    for_each_placed(routing, places,
                    [&](std::int64_t pair, std::int64_t token, std::int64_t place) {
                        for (std::int64_t i = 0; i < columns; ++i) {
                            y[token * columns + i] += weights[pair] * buffer[place * columns + i];
                        }
                    });
}

template <class Real>
void combine_backward(const Routing& routing, const Real* places, const Real* weights,
                      const Real* buffer, std::int64_t columns, Real* dbuffer, Real* dweights)
{
    std::fill_n(dweights, routing.pairs(), Real(0));
    for_each_placed(routing, places, [&](std::int64_t pair, std::int64_t, std::int64_t place) {
        Real product = 0;
        for (std::int64_t i = place * columns; i < (place + 1) * columns; ++i) {
            product += dbuffer[i] * buffer[i];
            dbuffer[i] *= weights[pair];
        }
        dweights[pair] = product;
    });
}

template <class Real>
void take_rows(const Routing& routing, const Real* places, const Real* buffer, std::int64_t columns,
               Real* rows)
{
    for_each_placed(routing, places, [&](std::int64_t pair, std::int64_t, std::int64_t place) {
        std::copy_n(buffer + place * columns, columns, rows + pair * columns);
    });
}

template <class Real>
void weighted_sums(const Routing& routing, const Real* weights, const Real* rows,
                   std::int64_t columns, Real* y)
{
    std::fill_n(y, routing.tokens * columns, Real(0));
    for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
        const Real weight = weights == nullptr ? Real(1) : weights[pair];
        Real* const sum = y + pair / routing.per_token * columns;
        for (std::int64_t i = 0; i < columns; ++i) {
            sum[i] += weight * rows[pair * columns + i];
        }
    }
}

template <class Real>
std::vector<std::int64_t> rows_of_experts(const ReceivedRows& received, const Real* counts)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(received.here), 0);
    for (std::int64_t member = 0; member < received.members; ++member) {
        for (std::int64_t i = 0; i < received.here; ++i) {
            rows[static_cast<std::size_t>(i)] += count_at(received, counts, member, i);
        }
    }
    return rows;
}

template <class Real>
std::vector<std::int64_t> rows_of_members(const ReceivedRows& received, const Real* counts)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(received.members), 0);
    for (std::int64_t member = 0; member < received.members; ++member) {
        for (std::int64_t i = 0; i < received.here; ++i) {
            rows[static_cast<std::size_t>(member)] += count_at(received, counts, member, i);
        }
    }
    return rows;
}

template <class Real>
std::vector<std::int64_t> rows_for_members(const Real* counts, std::int64_t experts,
                                           std::int64_t members)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(members), 0);
    for (std::int64_t i = 0; i < experts; ++i) {
        rows[static_cast<std::size_t>(i / (experts / members))] +=
            static_cast<std::int64_t>(counts[i]);
    }
    return rows;
}

template <class Real>
std::vector<std::int64_t> grouped_places(const ReceivedRows& received, const Real* counts)
{
    const std::vector<std::int64_t> rows = rows_of_experts(received, counts);
    std::vector<std::int64_t> next(rows.size(), 0);
    for (std::size_t i = 1; i < next.size(); ++i) {
        next[i] = next[i - 1] + rows[i - 1];
    }
    std::vector<std::int64_t> places;
    for (std::int64_t member = 0; member < received.members; ++member) {
        for (std::int64_t i = 0; i < received.here; ++i) {
            for (std::int64_t row = count_at(received, counts, member, i); row > 0; --row) {
                places.push_back(next[static_cast<std::size_t>(i)]++);
            }
        }
    }
    return places;
}

template <class Real>
void scatter_rows(const std::vector<std::int64_t>& places, const Real* x, std::int64_t columns,
                  Real* y)
{
    for (std::size_t row = 0; row < places.size(); ++row) {
        std::copy_n(x + static_cast<std::int64_t>(row) * columns, columns,
                    y + places[row] * columns);
    }
}

template <class Real>
void gather_rows(const std::vector<std::int64_t>& places, const Real* x, std::int64_t columns,
                 Real* y)
{
    for (std::size_t row = 0; row < places.size(); ++row) {
        std::copy_n(x + places[row] * columns, columns,
                    y + static_cast<std::int64_t>(row) * columns);
    }
}

#define ALXSIM_INSTANTIATE(Real)                                                                   \
    template void choose_experts(const Routing&, const Real*, Real*);                              \
    template void choice_weights(const Routing&, const Real*, const Real*, Real*);                 \
    template void choice_weights_backward(const Routing&, const Real*, const Real*, const Real*,   \
                                          Real*);                                                  \
    template void places_of(const Routing&, const Real*, Real*, Real*);                            \
    template void dispatch_rows(const Routing&, const Real*, const Real*, std::int64_t, Real*);    \
    template void dispatch_backward(const Routing&, const Real*, const Real*, std::int64_t,        \
                                    Real*);                                                        \
    template void combine_rows(const Routing&, const Real*, const Real*, const Real*,              \
                               std::int64_t, Real*);                                               \
    template void combine_backward(const Routing&, const Real*, const Real*, const Real*,          \
                                   std::int64_t, Real*, Real*);                                    \
    template void take_rows(const Routing&, const Real*, const Real*, std::int64_t, Real*);        \
    template void weighted_sums(const Routing&, const Real*, const Real*, std::int64_t, Real*);    \
    template std::vector<std::int64_t> rows_of_experts(const ReceivedRows&, const Real*);          \
    template std::vector<std::int64_t> rows_of_members(const ReceivedRows&, const Real*);          \
    template std::vector<std::int64_t> rows_for_members(const Real*, std::int64_t, std::int64_t);  \
    template std::vector<std::int64_t> grouped_places(const ReceivedRows&, const Real*);           \
    template void scatter_rows(const std::vector<std::int64_t>&, const Real*, std::int64_t,        \
                               Real*);                                                             \
    template void gather_rows(const std::vector<std::int64_t>&, const Real*, std::int64_t, Real*);

ALXSIM_INSTANTIATE(float)
ALXSIM_INSTANTIATE(double)
#undef ALXSIM_INSTANTIATE

} // namespace alxsim::transformer
