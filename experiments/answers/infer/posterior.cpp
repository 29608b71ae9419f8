// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/posterior.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace alxsim::experiments {
namespace {

std::vector<std::size_t> order_of(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    return order;
}

double sum_of(const std::vector<double>& weights)
{
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

} // namespace

double Survivors::effective() const
{
    double squares = 0;
    for (const double weight : weights) {
        squares += weight * weight;
    }
    const double sum = sum_of(weights);
    return squares > 0 ? sum * sum / squares : 0.0;
}

double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights,
                         double share)
{
    if (values.empty()) {
        throw std::invalid_argument("a quantile of no values");
    }
    const std::vector<std::size_t> order = order_of(values);
    const double wanted = share * sum_of(weights);
    double below = 0;
    for (const std::size_t i : order) {
        below += weights[i];
        if (below >= wanted) {
            return values[i];
        }
    }
    return values[order.back()];
}

double distance_to_prior(const std::vector<double>& quantiles, const std::vector<double>& weights)
{
    const double sum = sum_of(weights);
    double below = 0;
    double distance = 0;
    for (const std::size_t i : order_of(quantiles)) {
        distance = std::max(distance, std::abs(below / sum - quantiles[i]));
        below += weights[i];
        distance = std::max(distance, std::abs(below / sum - quantiles[i]));
    }
    return distance;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b,
                   const std::vector<double>& weights)
{
    const double sum = sum_of(weights);
    double mean_a = 0;
    double mean_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        mean_a += weights[i] * a[i] / sum;
        mean_b += weights[i] * b[i] / sum;
    }
    double aa = 0;
    double bb = 0;
    double ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        aa += weights[i] * (a[i] - mean_a) * (a[i] - mean_a);
        bb += weights[i] * (b[i] - mean_b) * (b[i] - mean_b);
        ab += weights[i] * (a[i] - mean_a) * (b[i] - mean_b);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0.0;
}

} // namespace alxsim::experiments
