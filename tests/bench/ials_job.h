// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/generate.h"
#include "alx/training/training.h"

namespace alxsim::alx {

/// A million links.
inline const Dataset& power_law_data()
{
    static const Dataset data = [] {
        GenerateConfig config;
        config.rows = 30'000;
        config.columns = 20'000;
        config.links = 1'000'000;
        return without_split(generate(config, 1));
    }();
    return data;
}

inline AlxConfig config_of(int dim, const char* solver)
{
    AlxConfig config;
    config.dim = dim;
    config.epochs = 2; // of which the first is timed: the last is evaluated
    config.solver = solver;
    config.evaluation.every = 1000;
    config.batch = {4096, 16, 1024};
    config.column_batch = {4096, 16, 1024};
    return config;
}

} // namespace alxsim::alx
