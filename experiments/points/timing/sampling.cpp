// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/sampling.h"

#include "base/numbers/mix64.h"
#include "experiments/points/timing/step_population.h"
#include "experiments/points/trace/point_trace.h"
#include "model/control_variate.h"
#include "model/costs/host_link.h"
#include "sim/one_chip.h"
#include "sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace alxsim::experiments {
namespace {

using topologies::Machine;

/// Steps of each kind that are sampled in the first round; every further round doubles them. Equal
/// steps differ by the state alone that they begin in, as the host's lead or who is late.
constexpr std::int64_t first_sample = 8;
constexpr std::int64_t first_sample_of_equals = 3;

/// Hands out the chosen steps, each as an epoch of its own, so that each gets its own breakdown.
class ChosenSteps : public model::StepSource {
public:
    /// `trace`: is told the number of each in the first epoch; null: nobody is.
    ChosenSteps(const StepPopulation& population, const std::set<std::int64_t>& chosen,
                sim::StepTrace* trace)
        : population_(population),
          chosen_(chosen.begin(), chosen.end()),
          trace_(trace)
    {
    }

    std::optional<model::Step> next() override
    {
        if (next_ == chosen_.size()) {
            return std::nullopt;
        }
        const std::int64_t index = chosen_[next_++];
        model::Step step = population_.step(index);
        if (trace_ != nullptr) {
            trace_->hand_out(step.epoch == 1 ? index + 1 : 0);
        }
        step.epoch = static_cast<int>(next_);
        return step;
    }

private:
    const StepPopulation& population_;
    const std::vector<std::int64_t> chosen_;
    sim::StepTrace* const trace_;
    std::size_t next_ = 0;
};

struct Measured {
    std::map<std::int64_t, model::Breakdown> steps;
};

/// By one chip, where that tells what all do: nothing that is counted is asked for.
sim::SimulationResult simulated(const StepPopulation& population,
                                const std::set<std::int64_t>& chosen, const Machine& machine)
{
    const auto run = [&](const sim::SimulatorOptions& options) {
        sim::Simulator simulator(machine, options);
        ChosenSteps steps(population, chosen, nullptr);
        return simulator.run(steps);
    };
    sim::SimulatorOptions options;
    options.one_chip = sim::has_chips_alike(machine);
    try {
        return run(options);
    } catch (const sim::ChipsDiffer&) {
        return run({});
    }
}

sim::SimulationResult simulated(const StepPopulation& population,
                                const std::set<std::int64_t>& chosen, const Machine& machine,
                                PointTrace& trace)
{
    sim::Simulator simulator(machine);
    ChosenSteps steps(population, chosen, &trace.watch(simulator));
    return simulator.run(steps);
}

Measured measure(const StepPopulation& population, const std::set<std::int64_t>& chosen,
                 const Machine& machine, PointTrace* trace)
{
    const sim::SimulationResult result = trace == nullptr
                                             ? simulated(population, chosen, machine)
                                             : simulated(population, chosen, machine, *trace);
    Measured measured;
    std::size_t i = 0;
    for (const std::int64_t index : chosen) {
        measured.steps[index] = result.epochs.at(i++).breakdown;
    }
    return measured;
}

/// How many steps of each kind come first, and how many are drawn in the first round.
struct SamplePlan {
    std::vector<std::int64_t> settling; ///< [kind]
    std::vector<std::int64_t> drawn;    ///< [kind]
};

/// Takes few of equal steps, after the first of which nobody waits for the host: they tell what all
/// do.
SamplePlan plan_of(const StepPopulation& population, const Machine& machine)
{
    const std::int64_t settling = model::HostLink::steps_until_steady(machine);
    const bool settled_at_once =
        population.host_catches_up_within(1 + first_sample_of_equals, settling);
    SamplePlan plan;
    for (int kind = 0; kind < population.kinds(); ++kind) {
        const bool few =
            settled_at_once && population.size_of(kind) > settling && population.are_equal(kind);
        plan.settling.push_back(few ? 1 : settling);
        plan.drawn.push_back(few ? first_sample_of_equals : first_sample);
    }
    return plan;
}

/// Steps that speak for themselves alone: the first ones of each kind, while the host's lead
/// settles, and the last one of the job.
std::set<std::int64_t> census_of(const StepPopulation& population, const SamplePlan& plan)
{
    std::set<std::int64_t> census{population.size() - 1};
    for (int kind = 0; kind < population.kinds(); ++kind) {
        const std::int64_t settling = plan.settling[static_cast<std::size_t>(kind)];
        for (std::int64_t i = 0; i < std::min(settling, population.size_of(kind)); ++i) {
            census.insert(population.index_of(kind, i));
        }
    }
    return census;
}

/// Adds `count` members of a kind that are not chosen yet, or all that are left.
void draw(const StepPopulation& population, int kind, std::int64_t count, std::uint64_t& state,
          std::set<std::int64_t>& chosen)
{
    const std::int64_t size = population.size_of(kind);
    std::int64_t have = 0;
    for (const std::int64_t index : chosen) {
        have += population.kind_of(index) == kind ? 1 : 0;
    }
    if (size - have <= 2 * count) {
        // Few are left: the rest costs little more and leaves nothing to estimate.
        for (std::int64_t i = 0; i < size; ++i) {
            chosen.insert(population.index_of(kind, i));
        }
        return;
    }
    for (const std::int64_t wanted = have + count; have < wanted;) {
        state = mix64(state);
        const auto at = static_cast<std::int64_t>(state % static_cast<std::uint64_t>(size));
        have += chosen.insert(population.index_of(kind, at)).second ? 1 : 0;
    }
}

/// What the sample says of all steps of a kind that are not part of the census.
struct KindEstimate {
    std::vector<model::Breakdown> epochs; ///< of the job, in order
    double variance = 0;                  ///< of their sum, square picoseconds
    int degrees_of_freedom = 0;
};

KindEstimate estimate_kind(const StepPopulation& population, int kind, const Measured& measured,
                           const std::set<std::int64_t>& census)
{
    KindEstimate result;
    result.epochs.resize(static_cast<std::size_t>(population.epochs()));
    std::vector<model::Observation> sample;
    model::Breakdown sum;
    for (const auto& [index, breakdown] : measured.steps) {
        if (population.kind_of(index) == kind && census.count(index) == 0) {
            sample.push_back(
                {population.control(index), static_cast<double>(breakdown.total.count())});
            sum += breakdown;
        }
    }
    const ControlTotals all = population.controls_of(kind, census);
    if (all.count == 0) {
        return result;
    }
    const model::ControlVariate line(sample);
    for (std::size_t epoch = 0; epoch < result.epochs.size(); ++epoch) {
        const ControlTotals part =
            population.controls_of(kind, census, static_cast<int>(epoch) + 1);
        if (part.count > 0) {
            const double mean = part.sum / static_cast<double>(part.count);
            const double time = line.predict(mean) * static_cast<double>(part.count);
            result.epochs[epoch] = model::fraction_of(
                sum, std::max<std::int64_t>(0, std::llround(time)), sum.total.count());
        }
    }
    const auto size = static_cast<double>(all.count);
    result.variance = line.variance_of_sum(size, all.sum / size);
    result.degrees_of_freedom =
        all.count > static_cast<std::int64_t>(sample.size()) ? line.degrees_of_freedom() : 0;
    return result;
}

/// The job's time as far as the measured steps tell.
struct JobSample {
    std::vector<model::Breakdown> epochs;
    double half_width = 0; ///< of the interval on their sum, picoseconds

    model::Breakdown total() const
    {
        model::Breakdown sum;
        for (const model::Breakdown& epoch : epochs) {
            sum += epoch;
        }
        return sum;
    }
};

JobSample estimate_job(const StepPopulation& population, const Measured& measured,
                       const std::set<std::int64_t>& census, double confidence)
{
    JobSample job;
    job.epochs.resize(static_cast<std::size_t>(population.epochs()));
    for (const std::int64_t index : census) {
        job.epochs[static_cast<std::size_t>(population.step(index).epoch) - 1] +=
            measured.steps.at(index);
    }
    double variance = 0;
    double per_degree = 0;
    for (int kind = 0; kind < population.kinds(); ++kind) {
        const KindEstimate estimate = estimate_kind(population, kind, measured, census);
        for (std::size_t i = 0; i < job.epochs.size(); ++i) {
            job.epochs[i] += estimate.epochs[i];
        }
        variance += estimate.variance;
        if (estimate.degrees_of_freedom > 0) {
            per_degree += estimate.variance * estimate.variance / estimate.degrees_of_freedom;
        }
    }
    if (std::isinf(variance)) {
        job.half_width = variance;
    } else if (variance > 0) {
        // Satterthwaite's (Cochran, section 5.4): where one kind makes the variance, its degrees
        // count and not those of all.
        const int degrees = std::max(1, static_cast<int>(variance * variance / per_degree));
        job.half_width = model::student_t(confidence, degrees) * std::sqrt(variance);
    }
    return job;
}

Timing timing_of(const JobSample& job, const StepPopulation& population, const Machine& machine)
{
    Timing timing;
    for (const model::Breakdown& epoch : job.epochs) {
        timing.total += epoch;
        timing.epoch_ends.push_back(timing.total.total);
    }
    set_link_use(timing, population.analytic().link_bytes(), machine);
    return timing;
}

/// Returns that of a mean epoch, in seconds.
report::Confidence confidence_of(const JobSample& job, const StepPopulation& population,
                                 std::size_t simulated, const SamplingOptions& options)
{
    const int epochs = population.epochs();
    const double seconds = to_seconds(model::mean_of(job.total(), epochs).total).count();
    const double half = job.half_width * 1e-12 / epochs;
    const Picoseconds analytic = model::mean_of(population.analytic().total(), epochs).total;
    return {options.confidence,
            seconds - half,
            seconds + half,
            2 * half / seconds,
            to_seconds(analytic).count(),
            population.size(),
            static_cast<std::int64_t>(simulated)};
}

Timing sample(const StepPopulation& population, const Machine& machine,
              const SamplingOptions& options, PointTrace* trace)
{
    const SamplePlan plan = plan_of(population, machine);
    const std::set<std::int64_t> census = census_of(population, plan);
    std::set<std::int64_t> chosen = census;
    std::uint64_t state = mix64(options.seed);
    for (std::int64_t times = 1;; times *= 2) {
        for (int kind = 0; kind < population.kinds(); ++kind) {
            draw(population, kind, plan.drawn[static_cast<std::size_t>(kind)] * times, state,
                 chosen);
        }
        const Measured measured = measure(population, chosen, machine, trace);
        const JobSample job = estimate_job(population, measured, census, options.confidence);
        Timing timing = timing_of(job, population, machine);
        const double time = static_cast<double>(timing.total.total.count());
        if (2 * job.half_width <= options.relative_width * time) {
            timing.confidence = confidence_of(job, population, chosen.size(), options);
            return timing;
        }
    }
}

} // namespace

Timing sample(model::StepSource& source, const Machine& machine, const SamplingOptions& options,
              PointTrace* trace)
{
    StepPopulation population(machine);
    for (std::optional<model::Step> step = source.next(); step; step = source.next()) {
        population.add(*step, 1);
    }
    return sample(population, machine, options, trace);
}

Timing sample(const model::Program& groups, const Machine& machine, const SamplingOptions& options,
              PointTrace* trace)
{
    StepPopulation population(machine);
    for (const model::StepGroup& group : groups) {
        population.add(group.step, group.times);
    }
    return sample(population, machine, options, trace);
}

} // namespace alxsim::experiments
