// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/point_study.h"

#include "experiments/points/study/study_schema.h"
#include "workloads/registry.h"

namespace alxsim::experiments {
namespace {

template <class T>
void fill(std::optional<T>& field, std::optional<T> beside)
{
    if (!field) {
        field = std::move(beside);
    }
}

/// What files of the job say of the machine, where the study does not.
void fill_machine(PointStudy& study)
{
    const workloads::Kind* const kind = workloads::registry().find(study.document);
    if (kind == nullptr || !kind->machine) {
        return;
    }
    MachineRequest beside;
    read_json(kind->machine(study.document, study.file), beside);
    fill(study.machine.chip, std::move(beside.chip));
    fill(study.machine.cores, beside.cores);
    fill(study.machine.slices, beside.slices);
    fill(study.machine.slice, std::move(beside.slice));
    fill(study.machine.wrap, std::move(beside.wrap));
}

} // namespace

const char* name_of(Fidelity fidelity)
{
    return fidelity == Fidelity::detailed  ? "detailed"
           : fidelity == Fidelity::sampled ? "sampled"
                                           : "analytic";
}

PointStudy point_study(const Json& document, const std::string& file)
{
    Json whole;
    return read_point_study(valid_json(document, study_schema(), file, whole), file);
}

PointStudy read_point_study(const Json& document, const std::string& file)
{
    PointStudy study;
    Json named = document;
    if (named.contains("machine")) {
        name_chip(named.at("machine"), file);
    }
    study.document = with_study_defaults(named);
    study.file = file;
    read_json(study.document, study);
    study.sampling.seed = study.seed;
    fill_machine(study);
    return study;
}

PointStudy changed(const PointStudy& study, const Settings& values)
{
    Json document = study.document;
    values.apply_to(document, study.file);
    return read_point_study(document, study.file);
}

PointStudy checked_change(const PointStudy& study, const Settings& values)
{
    Json document = study.document;
    values.apply_to(document, study.file);
    return point_study(document, study.file);
}

} // namespace alxsim::experiments

void alxsim::json_fields::Form<alxsim::experiments::Fidelity>::read(const Json& json,
                                                                    experiments::Fidelity& fidelity)
{
    using experiments::Fidelity;
    const auto name = json.get<std::string>();
    for (const Fidelity one : {Fidelity::detailed, Fidelity::sampled, Fidelity::analytic}) {
        if (name == name_of(one)) {
            fidelity = one;
        }
    }
}
