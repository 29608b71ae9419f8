// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "experiments/points/study/bill_request.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/study/sampling_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

enum class Fidelity { detailed, sampled, analytic };
const char* name_of(Fidelity fidelity);

/// What one point runs: a study without sweep and series, its defaults filled in, its chip by the
/// preset's name.
struct PointStudy {
    std::string name;
    std::uint64_t seed = 1;
    bool numerics = true;
    Fidelity fidelity = Fidelity::sampled;
    std::optional<std::string> given; ///< a result of infer, relative to the study's folder
    bool band = true;
    SamplingOptions sampling;
    std::optional<BillRequest> bill; ///< nothing: none is told
    MachineRequest machine;
    std::vector<std::string> exported; ///< empty: all
    Json document;                     ///< all of it: /workload is the workload's own
    std::string file;                  ///< for messages; paths are relative to its folder
};

template <class Fields>
void list_fields(Fields& fields, PointStudy& study)
{
    fields.newer("study", study.name);
    fields("seed", study.seed);
    fields("numerics", study.numerics);
    fields("fidelity", study.fidelity);
    fields("given", study.given);
    fields("band", study.band);
    fields("sampling", study.sampling);
    fields("bill", study.bill);
    fields.newer("machine", study.machine);
    fields.unless_empty("export", study.exported);
}

/// Reads a study that has no sweep and no series, filling in what it leaves out. Throws InputError
/// where it does not obey the schema.
PointStudy point_study(const Json& document, const std::string& file);

/// Reads such a study that is known to obey the schema.
PointStudy read_point_study(const Json& document, const std::string& file);

/// Returns the study with other values, which must obey the schema.
PointStudy changed(const PointStudy& study, const Settings& values);
/// Returns the study with other values. Throws InputError for those that do not obey the schema.
PointStudy checked_change(const PointStudy& study, const Settings& values);

} // namespace alxsim::experiments

template <>
struct alxsim::json_fields::Form<alxsim::experiments::Fidelity> {
    static Json write(experiments::Fidelity fidelity) { return name_of(fidelity); }
    static void read(const Json& json, experiments::Fidelity& fidelity);
};
