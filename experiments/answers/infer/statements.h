// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "model/graph/op_graph.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::experiments {

/// A job on a machine that worlds are drawn for: a complete study, and the run that it belongs to.
/// What a run alone has (batches, hosts, its data's longest row) is drawn for each run.
struct DrawnPoint {
    PointStudy study;
    std::string run;
};

/// A number of a point: "epoch_seconds", a phase ("phases.solve"), a share ("hbm_seconds"), "fits"
/// (1 or 0); one of its workload that is no time ("links_lost_share"); or "op_seconds", the time of
/// one op by itself on the point's machine.
struct StatedFigure {
    std::size_t point = 0; ///< index into Statements::points
    std::string name;
    double times = 1;
    std::optional<model::Op> op = {}; ///< of op_seconds
    bool of_workload = false;         ///< Kind::figures
};

/// What a statement says of its figure.
struct Condition {
    enum class Kind { near, at_most, at_least, is, shape, linear_then_flat };

    Kind kind = Kind::near;
    double value = 0;     ///< of all but the last two
    double tolerance = 0; ///< of `near`, relative
    /// A shape: the first `first_steps` gain at least `first_gain` of perfect scaling; any later
    /// one, or all of them, at most `later_gain`.
    std::size_t first_steps = 1;
    double first_gain = 0;
    bool any_later = true;
    double later_gain = 0;
};

/// Something that has been published, or measured. Either a figure, or its ratio to another one; or
/// a curve over core counts, of which points that do not fit are left out: its shape, or that it is
/// linear_then_flat as report/claims.h judges it.
struct Statement {
    std::string name;
    std::string source;
    double weight = 1; ///< a world in which it is false keeps 1 - weight of its own
    Condition condition;
    std::vector<StatedFigure> figures; ///< one; of a curve, one for each core count
    std::optional<StatedFigure> over;  ///< what the figure is divided by
    std::vector<std::int64_t> cores;   ///< of a curve
};

struct Statements {
    std::vector<Statement> statements;
    std::vector<DrawnPoint> points; ///< each once
    /// Measurements of another workload than the study's: their names.
    std::vector<std::string> left_out = {};
};

/// Reads a file of statements; `study` is what each point is merged onto. Throws InputError at the
/// place of what is wrong.
Statements read_statements(const std::string& path, const PointStudy& study);
/// The same of a document; `file` names it in messages.
Statements statements_of(const Json& document, const std::string& file, const PointStudy& study);

/// Leaves a statement out for each of `names`: its name or a part of it that no other has; its
/// point stays, so that worlds are drawn as before. Throws InputError for any other name.
void leave_out(Statements& statements, const std::vector<std::string>& names);

/// Measurements that could be made: as statements, but nobody knows what they would find (`near`
/// with value 0); `tolerance` is how well they can be made. Those of another workload are left out.
/// `path` "": those that come with the program. Throws InputError at the place of what is wrong.
Statements read_measurements(const std::string& path, const PointStudy& study);

/// What of its figure lets a statement hold: `near` a relative deviation, bounds a factor by which
/// they may be passed; nothing for the others.
std::optional<double> allowed_deviation(const Condition& condition, double discrepancy);

/// Whether the condition holds of the figures' values, the curve's without points that do not fit.
/// `discrepancy`: the model's own relative error, which widens `near`, `at_most` and `at_least`.
bool holds(const Statement& statement, const std::vector<double>& values, double discrepancy);

/// How far the values are from holding: at most 1 where they hold; for `near` the deviation in
/// tolerances, for a bound 1 plus how far it is passed, in steps of 10 % (of its logarithm);
/// infinite where a condition without degrees is false or a point does not fit.
double misfit(const Statement& statement, const std::vector<double>& values, double discrepancy);

} // namespace alxsim::experiments
