// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/batch_choice.h"

#include "base/input_error.h"
#include "model/graph/memory.h"
#include "model/job_estimate.h"
#include "model/lent_model.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace alxsim::alx {
namespace {

constexpr double refused = std::numeric_limits<double>::infinity();

BatchChoice choice_of(const BatchRequest& batch)
{
    const std::string* const word = std::get_if<std::string>(&batch);
    return word == nullptr   ? BatchChoice::given
           : *word == "auto" ? BatchChoice::automatic
                             : BatchChoice::tuned;
}

BatchGeometry geometry_of(const BatchRequest& batch, BatchGeometry otherwise)
{
    const auto& sizes = std::get<BatchSizes>(batch);
    return {sizes.lines.value_or(otherwise.lines),
            sizes.line_length.value_or(otherwise.line_length), sizes.rows.value_or(otherwise.rows)};
}

BatchGeometry careful_geometry(const BatchedSide& side)
{
    return side.geometry(careful_lines(*side.lengths, side.devices));
}

/// Programs of one job after another on its machine: what they have in common is found once.
class Trials {
public:
    explicit Trials(const BatchQuestion& question)
        : question_(question),
          model_(question.machine, model::ScheduleTimes::closed_form)
    {
    }

    bool fits(const TimingProgram& program)
    {
        using Graph = std::shared_ptr<const model::OpGraph>;
        const auto placement = [this](const Graph& graph) -> const auto&
        {
            return model_->placement(graph);
        };
        return model::memory_sums(program.epoch, question_.machine, placement).fits();
    }

    /// Returns the time of an epoch; `refused` where it does not fit or cannot be.
    double seconds(const AlxConfig& config)
    {
        try {
            const TimingProgram program = question_.program(config);
            return fits(program) ? to_seconds(model::estimate(program.epoch, *model_).total).count()
                                 : refused;
        } catch (const InputError&) {
            return refused;
        }
    }

    const BatchQuestion& question() const { return question_; }

private:
    const BatchQuestion& question_;
    model::LentModel model_;
};

/// Half the lines and rows, as long as the longest row fits or is split; false if it would not.
bool halve(BatchGeometry& geometry, const BatchedSide& side)
{
    const std::int64_t lines = geometry.lines / 2;
    if (lines < std::max<std::int64_t>(8, side.lengths->least_lines())) {
        return false;
    }
    geometry.lines = lines;
    geometry.rows = std::max<std::int64_t>(1, ceil_divide(geometry.rows, 2));
    return true;
}

/// Smaller batches where the job does not fit, if there are such with which it does.
TimingProgram shrink_to_memory(AlxConfig& config, const BatchChoices& choices, Trials& trials)
{
    const BatchQuestion& question = trials.question();
    AlxConfig smaller = config;
    TimingProgram first = question.program(config);
    if (trials.fits(first)) {
        return first;
    }
    for (;;) {
        const bool rows = choices.rows != BatchChoice::given && halve(smaller.batch, question.rows);
        const bool columns =
            choices.columns != BatchChoice::given && halve(smaller.column_batch, question.columns);
        if (!rows && !columns) {
            return first;
        }
        TimingProgram program = question.program(smaller);
        if (trials.fits(program)) {
            config = smaller;
            return program;
        }
    }
}

/// Larger batches, as long as they are faster, up to where they hold the longest row. `best`:
/// seconds of `config`, where they are known.
void grow_half(AlxConfig& config, BatchGeometry AlxConfig::*half, const BatchedSide& side,
               Trials& trials, std::optional<double>& best)
{
    const std::int64_t enough = std::min(
        side.lengths->most_lines, std::max<std::int64_t>(1, rounded_up(side.lengths->lines)));
    if (side.lengths->long_rows != LongRows::split || (config.*half).lines >= enough) {
        return;
    }
    AlxConfig larger = config;
    best = best ? best : trials.seconds(config);
    for (std::int64_t lines = (config.*half).lines; lines < enough;) {
        lines = std::min(4 * lines, enough);
        larger.*half = side.geometry(lines);
        const double seconds = trials.seconds(larger);
        if (seconds >= *best) {
            return;
        }
        best = seconds;
        config = larger;
    }
}

void grow(AlxConfig& config, const BatchChoices& choices, Trials& trials)
{
    std::optional<double> best;
    if (choices.rows != BatchChoice::given) {
        grow_half(config, &AlxConfig::batch, trials.question().rows, trials, best);
    }
    if (choices.columns != BatchChoice::given) {
        grow_half(config, &AlxConfig::column_batch, trials.question().columns, trials, best);
    }
}

std::vector<BatchGeometry> candidates(const BatchedSide& side, std::int64_t line_length)
{
    std::vector<BatchGeometry> found;
    for (const std::int64_t lines : lines_to_choose_from(*side.lengths)) {
        for (const double filling : {0.75, 1.0, 1.5}) {
            const double rows =
                filling * static_cast<double>(lines * line_length) / side.lengths->mean;
            const BatchGeometry geometry{lines, line_length,
                                         std::max<std::int64_t>(1, rounded_up(rows))};
            if (geometry.slots() >= side.lengths->least_lines() * BatchGeometry{}.line_length) {
                found.push_back(geometry);
            }
        }
    }
    return found;
}

/// Replaces one half's geometry by the fastest candidate, if one is faster than `best` seconds.
void tune_half(AlxConfig& config, BatchGeometry AlxConfig::*half, const BatchedSide& side,
               Trials& trials, double& best)
{
    AlxConfig other = config;
    for (const BatchGeometry& geometry : candidates(side, (config.*half).line_length)) {
        other.*half = geometry;
        const double seconds = trials.seconds(other);
        if (seconds < best) {
            best = seconds;
            config = other;
        }
    }
}

/// Halves follow one another, so that each is tuned by itself.
void tune(AlxConfig& config, const BatchChoices& choices, Trials& trials)
{
    const BatchQuestion& question = trials.question();
    const bool both = choices.rows == BatchChoice::tuned && choices.columns == BatchChoice::tuned;
    const AlxConfig automatic = config;
    double best = trials.seconds(config);
    const std::vector<std::int64_t> line_lengths =
        both ? std::vector<std::int64_t>{8, 16, 32, 64}
             : std::vector<std::int64_t>{automatic.batch.line_length};
    for (const std::int64_t line_length : line_lengths) {
        AlxConfig tuned = automatic;
        tuned.batch.line_length = tuned.column_batch.line_length = line_length;
        double seconds = trials.seconds(tuned);
        if (choices.rows == BatchChoice::tuned) {
            tune_half(tuned, &AlxConfig::batch, question.rows, trials, seconds);
        }
        if (choices.columns == BatchChoice::tuned) {
            tune_half(tuned, &AlxConfig::column_batch, question.columns, trials, seconds);
        }
        if (seconds < best) {
            best = seconds;
            config = tuned;
        }
    }
}

} // namespace

const char* name_of(BatchChoice choice)
{
    return choice == BatchChoice::automatic ? "auto"
           : choice == BatchChoice::tuned   ? "tuned"
                                            : "given";
}

ChosenBatches set_batches(AlxConfig& config, const AlxRequest& alx, const BatchQuestion& question)
{
    const BatchRequest& batch = alx.batch;
    const bool is_word = std::holds_alternative<std::string>(batch);
    const BatchRequest column_batch =
        alx.column_batch.value_or(is_word ? batch : BatchRequest(BatchSizes{}));
    const BatchChoices choices{choice_of(batch), choice_of(column_batch)};
    config.batch = choices.rows == BatchChoice::given ? geometry_of(batch, {})
                                                      : careful_geometry(question.rows);
    config.column_batch = choices.columns == BatchChoice::given
                              ? geometry_of(column_batch, config.batch)
                              : careful_geometry(question.columns);
    Trials trials(question);
    grow(config, choices, trials);
    TimingProgram program = shrink_to_memory(config, choices, trials);
    if (choices.rows == BatchChoice::tuned || choices.columns == BatchChoice::tuned) {
        tune(config, choices, trials);
        program = question.program(config);
    }
    return {choices, std::move(program)};
}

} // namespace alxsim::alx
