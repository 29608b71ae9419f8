// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/npy.h"
#include "program.h"

#include <string>
#include <vector>

namespace alxsim {

/// What a case starts from. Names are those of reference files.
struct GoldenInput {
    std::string adjacency; ///< text of the adjacency file
    std::string tests;     ///< text of the test file; "" for none
    std::string rows;      ///< initial table, f32
    std::string columns;
};

/// A reference case, run as a study by the program, with its export.
class GoldenRun {
public:
    /// `config` has the reference program's keys; `changes` are merged into the study.
    GoldenRun(const Json& config, int epochs, const GoldenInput& input,
              const Json& changes = Json::object());

    /// "" if the program ended well.
    const std::string& problem() const { return problem_; }
    NpyMatrix table(const std::string& name) const;
    Json json(const std::string& name) const;

private:
    TemporaryFolder folder_;
    std::string problem_;
};

/// The study's fields for the reference program's config.
Json golden_study(const Json& config, int epochs);

/// `name`.f32 or .f64, whichever is there.
std::vector<double> golden_table(const std::string& name);

} // namespace alxsim
