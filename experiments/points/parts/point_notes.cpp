// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/point_notes.h"

#include "experiments/points/parts/bill.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/timing/timing.h"
#include "model/estimate.h"
#include "model/graph/for_each_op.h"
#include "model/job_estimate.h"
#include "model/lent_model.h"
#include "report/words.h"
#include "topologies/override_notes.h"
#include "workloads/registry.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

namespace alxsim::experiments {
namespace {

constexpr const char* place_of_overrides = "/machine/overrides";

bool can_be_estimated(const PointStudy& study)
{
    try {
        const Job job = job_of(study);
        model::AnalyticModel model(
            job.machine, std::make_shared<model::ScheduleBook>(model::ScheduleTimes::closed_form));
        estimate_groups(job.workload->program(), model);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

[[noreturn]] void refuse(const PointStudy& study, const std::string& place,
                         const std::string& found, const DurationError& error)
{
    throw InputError(study.file, place,
                     "found " + found + ", with which the work has " + error.in_words() +
                         "; allowed: values with which every duration is 0 to 100 days (8.64e6 s)");
}

Picoseconds estimated(const Job& job, model::AnalyticModel& model)
{
    return model::estimate(job.workload->program(), model).total;
}

/// Times the job on its own machine once, and on each that is asked about.
std::function<bool(const topologies::Machine&)> same_time(const Job& job)
{
    const auto model =
        std::make_shared<const model::LentModel>(job.machine, model::ScheduleTimes::closed_form);
    const Picoseconds time = estimated(job, **model);
    return [&job, model, time](const topologies::Machine& without) {
        try {
            (*model)->use(without);
            return estimated(job, **model) == time;
        } catch (const InputError&) {
            return false;
        }
    };
}

/// What a point does with the preset: it is timed, and costs something.
topologies::PresetUse use_by(const Job& job, const PointStudy& study, bool fits)
{
    topologies::PresetUse use;
    use.also_read = [&job, &study](const topologies::Preset& watched) {
        topologies::Machine machine = job.machine;
        machine.preset = watched;
        report::Result result;
        add_cost(result, prices_of(study, machine), machine);
    };
    use.also_read_for = "dollars or joules";
    if (fits && !job.machine.preset.overridden_keys().empty()) {
        use.same_time = same_time(job);
    }
    return use;
}

} // namespace

std::vector<std::string> notes_of(const Job& job, const PointStudy& study, bool fits, bool analytic)
{
    const topologies::Machine& machine = job.machine;
    std::vector<std::string> notes = topologies::override_notes(machine, use_by(job, study, fits));
    const topologies::FaultPlan& faults = machine.faults;
    if (analytic && (!faults.links.empty() || !faults.device_speed.empty())) {
        notes.push_back("with faults the analytic model lets every op take as long as on the "
                        "slowest core or link, so that its " +
                        job.workload->interval_plural() + " are up to " +
                        report::percent_in_words(analytic_excess_with_faults) +
                        " longer than those of SystemC (measured on cases of this program's "
                        "tests); fidelities sampled and detailed do not do that");
    }
    return notes;
}

std::vector<std::string> notes_of(const PointStudy& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    if (study.numerics && kind.has_numbers && kind.notes) {
        return kind.notes(study.document);
    }
    if (!study.numerics || kind.has_numbers) {
        return {};
    }
    return {"\"numerics\": true changes nothing: an " + kind.name +
            " has no numbers to compute and is timed alone"};
}

const std::string what_the_time_is = "the time is that of a tuned, compiled step on the devices";

std::optional<std::string> input_note(const Job& job, const PointStudy& study)
{
    const std::string& hint = workloads::registry().kind_of(study.document, study.file).input_hint;
    const model::Program& program = job.workload->program();
    const auto from_host = [](const model::Op& op) {
        const auto* copy = std::get_if<model::Copy>(&op.work);
        // What reads a buffer in host memory is no batch.
        return copy != nullptr && copy->from == topologies::Tier::host &&
               copy->to == topologies::Tier::hbm && op.reads.empty();
    };
    const bool has_input =
        std::any_of(program.begin(), program.end(), [&](const model::StepGroup& group) {
            return model::any_op(*group.step.graph, from_host);
        });
    if (hint.empty()) {
        return std::nullopt;
    }
    return what_the_time_is + (has_input ? std::string(", with its input pipeline")
                                         : ", without an input pipeline: " + hint);
}

std::optional<std::string> skew_note(const topologies::Machine& machine)
{
    if (machine.straggling <= 1) {
        return std::nullopt;
    }
    const char* const skew = "step_skew_devices";
    const char* const between_slices =
        machine.slice.slices() > 1 ? " --set /machine/overrides/step_skew_slices=0" : "";
    const bool is_own = machine.preset.has(skew) && machine.preset.at(skew).kind == "overridden";
    return std::string("devices are taken to differ ") +
           (is_own ? "as the study says"
                   : "a little, as measured on other jobs (of 16B parameters on v5e; assumed on "
                     "other chips)") +
           ", and all wait for the slowest; to switch that off: --set "
           "/machine/overrides/step_skew_devices=0" +
           std::string(between_slices);
}

std::string notes_in_lines(const std::vector<report::Point>& points)
{
    std::string lines;
    std::set<std::string> told;
    for (const report::Point& point : points) {
        for (const std::string& note : point.notes) {
            if (told.insert(note).second) {
                lines += "note: " + note + "\n";
            }
        }
    }
    return lines;
}

void refuse_duration_of(const PointStudy& study, const DurationError& error)
{
    const auto& overrides = study.machine.overrides;
    PointStudy changed = study;
    changed.machine.overrides.clear();
    if (overrides.empty() || !can_be_estimated(changed)) {
        throw InputError(study.file, "/workload", error.what());
    }
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        changed.machine.overrides = overrides;
        changed.machine.overrides.erase(changed.machine.overrides.begin() +
                                        static_cast<std::ptrdiff_t>(i));
        if (can_be_estimated(changed)) {
            refuse(study, std::string(place_of_overrides) + "/" + overrides[i].first,
                   overrides[i].second.dump(), error);
        }
    }
    refuse(study, place_of_overrides, json_of(overrides).dump(), error);
}

} // namespace alxsim::experiments
