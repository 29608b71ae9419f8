// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"
#include "experiments/answers/compare/comparison.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// By how much a number of B may be above A's.
struct GateLimit {
    std::string column = "epoch_seconds"; ///< of points.csv
    double fail_above = 0;                ///< 0.05: 5 % more
};

/// A pair whose number is beyond a limit.
struct Exceeded {
    std::size_t pair = 0; ///< into the comparison's
    std::string column;
    double a = 0;
    double b = 0;
    double above = 0; ///< 0.1: 10 % more than A's
};

/// Whether B takes no more than A, by how much it may: for somebody's continuous integration.
struct Gate {
    std::vector<GateLimit> limits;
    bool passed = true; ///< no pair exceeds a limit, and no point of A is missing
    std::vector<Exceeded> exceeding;
    std::vector<LonePoint> missing; ///< timed in A, without one in B
};

/// "5%": of epoch_seconds; "memory.bytes_per_core=2%": of another column. Throws InputError for
/// what is no percentage of 0 or more.
GateLimit gate_limit(const std::string& words);

/// Judges by central values alone, never by bands. Throws InputError for a pair that says nothing
/// of speed (its points leave out different shares of their data, or have other intervals or
/// another fidelity), and for a column that is no number of both its points.
Gate judge(const Comparison& comparison, const report::Report& a, const report::Report& b,
           const std::vector<GateLimit>& limits);

/// Writes what exceeds, what is missing, and the verdict.
void tell_gate(Document& document, const Comparison& comparison, const Gate& gate);

template <class Fields>
void list_fields(Fields& fields, GateLimit& limit)
{
    fields("column", limit.column, "Of points.csv.");
    fields("fail_above", limit.fail_above, "0.05: 5 % more than A's.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Exceeded& exceeded)
{
    fields("pair", exceeded.pair, "Index into pairs.");
    fields("column", exceeded.column, "Of points.csv.");
    fields("a", exceeded.a, "A's number.");
    fields("b", exceeded.b, "B's number.");
    fields("above", exceeded.above, "0.1: 10 % more than A's.");
}

template <class Fields>
void list_fields(Fields& fields, Gate& gate)
{
    fields("limits", gate.limits, "What --fail-above asked for.");
    fields("passed", gate.passed, "No pair exceeds a limit, and no point of A is missing.");
    fields("exceeding", gate.exceeding, "Pairs beyond a limit.");
    fields("missing", gate.missing, "Points timed in A, without one in B.");
}

} // namespace alxsim::experiments
