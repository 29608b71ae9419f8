// SPDX-License-Identifier: Apache-2.0
#include "workloads/tensor_network/integration/operator_train.h"

#include <algorithm>
#include <utility>

namespace alxsim::tensor_network {
namespace {

using Factor = OperatorEntry::Factor;

/// The states between two legs: nothing done yet, all done, and for each coordinate before them its
/// derivative or, of a drift, its position that waits for a partner.
struct LinearStates {
    static constexpr int begun = 0, done = 1;
    int of_each; ///< of a coordinate: 0, 1 or 2

    int derivative(int i) const { return 2 + of_each * i; }
    int position(int i) const { return 3 + of_each * i; }
    int count(int legs_before) const { return 2 + of_each * legs_before; }
};

/// The operator of linear drift and diffusion, either of which may be left out, and of the
/// constant.
class LinearOperator {
public:
    LinearOperator(int d, bool drifts, bool diffuses)
        : numbers_{d},
          states_{drifts     ? 2
                  : diffuses ? 1
                             : 0},
          drifts_(drifts),
          diffuses_(diffuses)
    {
    }

    OperatorTrain train() const
    {
        OperatorTrain op;
        for (int k = 0; k < numbers_.d; ++k) {
            OperatorLeg leg{states_.count(k), states_.count(k + 1), begun_at(k)};
            for (int i = 0; i < k; ++i) {
                add_partners(leg.entries, i, k);
            }
            op.push_back(std::move(leg));
        }
        return op;
    }

private:
    using S = LinearStates;

    /// What a leg does alone, and what it leaves for the legs behind it.
    std::vector<OperatorEntry> begun_at(int k) const
    {
        std::vector<OperatorEntry> entries{{S::begun, S::begun, 0, Factor::one},
                                           {S::done, S::done, 0, Factor::one}};
        if (drifts_ || diffuses_) {
            entries.push_back({S::begun, states_.derivative(k), 1, Factor::one});
        }
        if (drifts_) {
            entries.push_back({S::begun, states_.position(k), 0, Factor::position});
            entries.push_back({S::begun, S::done, 1, Factor::position, numbers_.drift(k, k)});
        }
        if (diffuses_) {
            entries.push_back({S::begun, S::done, 2, Factor::one, numbers_.diffusion(k, k)});
        }
        if (k + 1 == numbers_.d) {
            entries.push_back({S::begun, S::done, 0, Factor::one, numbers_.constant()});
        }
        return entries;
    }

    /// What leg k does to what coordinate i has left.
    void add_partners(std::vector<OperatorEntry>& entries, int i, int k) const
    {
        const int derivative = states_.derivative(i);
        if (drifts_ || diffuses_) {
            entries.push_back({derivative, derivative, 0, Factor::one});
        }
        if (diffuses_) {
            entries.push_back({derivative, S::done, 1, Factor::one, numbers_.diffusion(i, k)});
        }
        if (drifts_) {
            const int position = states_.position(i);
            entries.push_back({derivative, S::done, 0, Factor::position, numbers_.drift(i, k)});
            entries.push_back({position, position, 0, Factor::one});
            entries.push_back({position, S::done, 1, Factor::one, numbers_.drift(k, i)});
        }
    }

    OperatorNumbers numbers_;
    LinearStates states_;
    bool drifts_, diffuses_;
};

/// sin(a_1 y_1 + ..) sum_i s_i d/dy_i by the sums of angles: states are the sine and the cosine of
/// what stands before, without and with the derivative.
OperatorTrain sine_operator(int d)
{
    const OperatorNumbers numbers{d};
    OperatorTrain op;
    for (int k = 0; k < d; ++k) {
        OperatorLeg leg{4, 4, {}};
        for (const int derived : {0, 1}) {
            const int s = 2 * derived;
            const int c = s + 1;
            leg.entries.insert(leg.entries.end(), {{s, s, 0, Factor::cosine},
                                                   {c, s, 0, Factor::sine},
                                                   {s, c, 0, Factor::sine, -1, -1.0},
                                                   {c, c, 0, Factor::cosine}});
        }
        const int by = numbers.sine(k);
        leg.entries.insert(leg.entries.end(), {{0, 2, 1, Factor::cosine, by},
                                               {1, 2, 1, Factor::sine, by},
                                               {0, 3, 1, Factor::sine, by, -1.0},
                                               {1, 3, 1, Factor::cosine, by}});
        op.push_back(std::move(leg));
    }
    return op;
}

/// Keeps the one row or column of a leg alone, as what stands before it or behind it has but one.
void take_row(OperatorLeg& leg, int row)
{
    auto& entries = leg.entries;
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const OperatorEntry& each) { return each.row != row; }),
                  entries.end());
    for (OperatorEntry& each : entries) {
        each.row = 0;
    }
    leg.rows = 1;
}

void take_column(OperatorLeg& leg, int column)
{
    auto& entries = leg.entries;
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const OperatorEntry& each) { return each.column != column; }),
                  entries.end());
    for (OperatorEntry& each : entries) {
        each.column = 0;
    }
    leg.columns = 1;
}

/// Both in a block diagonal; the last column is shared, and the first row if they are added.
OperatorTrain joined(const OperatorTrain& first, const OperatorTrain& second, bool added)
{
    OperatorTrain op = first;
    for (std::size_t k = 0; k < op.size(); ++k) {
        const bool one_row = added && k == 0;
        const bool one_column = k + 1 == op.size();
        for (OperatorEntry entry : second[k].entries) {
            entry.row += one_row ? 0 : first[k].rows;
            entry.column += one_column ? 0 : first[k].columns;
            op[k].entries.push_back(entry);
        }
        op[k].rows += one_row ? 0 : second[k].rows;
        op[k].columns += one_column ? 0 : second[k].columns;
    }
    return op;
}

} // namespace

OperatorTrain right_side(const Problem& problem, bool with_drift)
{
    const int d = static_cast<int>(problem.dimensions);
    OperatorTrain op = LinearOperator(d, with_drift, problem.diffuses()).train();
    take_row(op.front(), LinearStates::begun);
    take_column(op.back(), LinearStates::done);
    if (!problem.sine) {
        return op;
    }
    OperatorTrain of_sine = sine_operator(d);
    take_row(of_sine.front(), 1); // the cosine of nothing
    take_column(of_sine.back(), 2);
    return joined(op, of_sine, true);
}

/// States are pairs (i, j) of what still waits: d/dy_i and y_j at coordinates behind, or nothing.
OperatorTrain coordinate_terms(int d)
{
    constexpr int nothing = -1;
    using State = std::pair<int, int>;
    const auto states_behind = [&](int k) {
        std::vector<State> states;
        for (int i = k; i <= d; ++i) {
            for (int j = k; j <= d; ++j) {
                states.emplace_back(i == d ? nothing : i, j == d ? nothing : j);
            }
        }
        return states;
    };
    OperatorTrain op;
    std::vector<State> rows;
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            rows.emplace_back(i, j);
        }
    }
    for (int k = 0; k < d; ++k) {
        const std::vector<State> columns = states_behind(k + 1);
        OperatorLeg leg{static_cast<int>(rows.size()), static_cast<int>(columns.size()), {}};
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto [i, j] = rows[row];
            const State next{i == k ? nothing : i, j == k ? nothing : j};
            const auto column = std::find(columns.begin(), columns.end(), next) - columns.begin();
            leg.entries.push_back({static_cast<int>(row), static_cast<int>(column), i == k ? 1 : 0,
                                   j == k ? Factor::position : Factor::one, -1,
                                   k == 0 ? -1.0 : 1.0});
        }
        op.push_back(std::move(leg));
        rows = columns;
    }
    return op;
}

OperatorTrain stacked(const OperatorTrain& first, const OperatorTrain& second)
{
    return joined(first, second, false);
}

} // namespace alxsim::tensor_network
