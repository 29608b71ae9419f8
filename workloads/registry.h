// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.h"
#include "topologies/machine.h"
#include "workloads/workload.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {
struct OpGraph;
} // namespace alxsim::model

namespace alxsim::workloads {

/// How a study's `search` chooses among values: by a metric on data that training does not see.
struct SearchRules {
    std::vector<std::string> metrics; ///< of which the largest is best; the first is the default
    std::string further_metrics;      ///< JSON pointer to a list of more of them in a study
    std::string needs;                ///< JSON pointer that the study must have
    Settings validation;              ///< what makes a point a candidate's
    /// Whether a candidate reached nothing, by the results of its point, whatever its metrics say;
    /// null: never.
    bool (*is_spoilt)(const Json& results) = nullptr;
};

/// Work that computes numbers from files, for `alxsim op`.
struct NumberedWork {
    std::string schema; ///< JSON Schema of the op
    bool has_output = false;
    /// What the numbers are, and the ops that compute them on a device, to be timed; null: not
    /// timed.
    struct Result {
        Json numbers;
        std::shared_ptr<const model::OpGraph> graph;
    };
    /// `output`: a file for the results, or "". Throws InputError.
    std::function<Result(const Json& op, const std::string& output)> compute;
    std::string help; ///< lines of `alxsim op --help`
};

/// What a run counted, to be assumed by a study without numbers.
struct Counted {
    Settings set;
    std::string words; ///< "9 CG iterations in the row half"
};

/// Which values of a metric are better.
enum class Better { higher, lower, neither };

/// A metric of a workload's runs.
struct MetricKind {
    std::string name;       ///< as in Metric::name
    std::string title = {}; ///< for people; "": the name, without underscores
    std::string unit = {};  ///< "": a pure number
    Better better = Better::higher;
};

/// A metric that a report tells times to, in each series: until all that the study asks for is
/// reached, or else what every point of the series reaches.
struct TargetMetric {
    std::string metric;
    std::string name;         ///< a point's field is "seconds_to_" and this
    std::string pointer = {}; ///< JSON pointer to the value that a study asks for; "": none can
    std::string when = {};    ///< where runs have it: "where /workload/x says so"; "": always
};

/// A kind of workload.
struct Kind {
    std::string name;
    /// The fields of a study's /workload that are its own, each with its JSON Schema; schemas may
    /// refer to `definitions`.
    Json fields;
    Json definitions = Json::object();
    /// Those of which another's value leaves nothing: a statement about another job that names one
    /// replaces the study's.
    std::vector<std::string> whole_fields = {};
    /// Makes the job of a study's point; `file` is the study's, for messages and relative paths.
    /// Throws InputError.
    std::function<std::unique_ptr<Workload>(const Json& study, const std::string& file,
                                            const topologies::Machine& machine)>
        make;
    /// Fields of a study's /machine that files of the job say, for a study that does not: of these,
    /// what it says itself is kept. `study`: of a point, its chip by the preset's name. Empty: a
    /// study says all of its machine. Throws InputError.
    std::function<Json(const Json& study, const std::string& file)> machine = {};
    /// What a study sweeps, all together, that names files for several machines and none of these:
    /// JSON pointers with as many values each; empty: nothing. Throws InputError.
    std::function<Named<std::vector<Json>>(const Json& study, const std::string& file)> sweep = {};
    /// The same as `make` for a search among many such jobs, to be estimated alone: its program may
    /// be made of a sample of its steps. Empty: make().
    std::function<std::unique_ptr<Workload>(const Json& study, const std::string& file,
                                            const topologies::Machine& machine)>
        sketch = {};
    /// What a finished point (its study and `counters`) counted of what a study without numbers
    /// assumes; nothing where it counted none of it; empty: nothing is assumed. Throws InputError
    /// for a point of which such counts are no use to the study.
    std::function<std::optional<Counted>(const Json& study, const Json& finished,
                                         const Json& counters)>
        counted = {};
    /// What a run of the study's point with numbers will keep in the host's memory, roughly, told
    /// before its data is read; empty: not told. Throws InputError.
    std::function<Bytes(const Json& study, const std::string& file)> predict_memory = {};
    /// Why a run with numbers takes another time than the same job timed without them: "the solver
    /// iterated as often as the data needed, here as often as is assumed"; "": nothing of its own.
    std::string numbers_remark = {};
    /// What of a job stays as it is on whatever machine: "the code stays the one that was
    /// compiled";
    /// "": nothing that readers should know.
    std::string same_everywhere = {};
    bool has_numbers = true; ///< Workload::start() gives a run; else jobs are timed alone
    /// Phases of its programs, where they cannot be made without reading data; empty: those of
    /// their ops.
    std::vector<std::string> phases = {};
    std::vector<std::string> figures = {}; ///< names for Workload::figure(), for `infer`
    /// What readers of a point's numbers should know of what its study asks for, in sentences
    /// without a capital and a full stop; empty: never anything.
    std::function<std::vector<std::string>(const Json& point)> notes = {};
    /// How a study adds an input pipeline to a job that has none; "": each has one.
    std::string input_hint = {};
    /// Inputs that are assumed where a study does not set them at their pointers.
    std::vector<Unknown> inputs = {};
    std::vector<std::string> exports = {}; ///< what a run with numbers can write
    std::vector<std::string> choices = {}; ///< names of what `advise` may decide
    std::optional<SearchRules> search = {};
    /// Those of which its name does not say it all; of others the higher the better.
    std::vector<MetricKind> metrics = {};
    std::optional<TargetMetric> target = {};
    /// What `alxsim run` prints of what a run found (Run::results()), a line each; empty: nothing.
    std::function<std::vector<std::string>(const Json& results)> findings = {};
    /// What to try where a metric is worse than the same of something simpler among what a run
    /// found; "": nothing is said.
    std::function<std::string(const Json& results)> beaten_hint = {};
    std::map<std::string, NumberedWork> works = {}; ///< by the op's "work"
    std::string help = {};                          ///< lines of `alxsim run --help` on its fields
    std::string example = {};                       ///< the same: a small study
};

/// Which values of it are better, as the kind says.
Better better_of(const Kind& kind, const std::string& metric);

/// The kinds of workload that a program has.
class Registry {
public:
    /// Throws std::logic_error for a name or a field that is taken.
    void add(Kind kind);
    const std::vector<Kind>& kinds() const { return kinds_; }
    /// The kind of a study's /workload. Throws InputError unless it has fields of exactly one.
    const Kind& kind_of(const Json& study, const std::string& file) const;
    /// The first of whose fields a study's /workload has some; null for none.
    const Kind* find(const Json& study) const;

private:
    std::vector<Kind> kinds_;
};

/// That of this program.
Registry& registry();

} // namespace alxsim::workloads
