// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/unknown.h"

#include <map>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The worlds that survived `alxsim infer`: quantiles of the unknowns that its statements speak of.
class GivenWorlds {
public:
    /// Reads a result of infer. Throws InputError for another file, and where no world survived.
    explicit GivenWorlds(const std::string& path);

    /// Quantiles of an unknown in `draws` worlds, picked evenly by weight: draw i is the same world
    /// for each unknown. Empty for one that the result does not know.
    std::vector<double> column(const workloads::Unknown& unknown, int draws) const;

private:
    std::map<std::string, std::size_t> columns_;
    std::vector<std::vector<double>> worlds_; ///< [world][column]
    std::vector<double> weights_;
    std::string run_;
};

} // namespace alxsim::experiments
