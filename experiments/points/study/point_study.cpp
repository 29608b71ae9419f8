// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/point_study.h"

#include "experiments/points/study/study_schema.h"

namespace alxsim::experiments {

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
