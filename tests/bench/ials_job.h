// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/generator/generate.h"
#include "alx/training/training.h"

namespace alxsim::alx {

inline Dataset made_up(std::int64_t rows, std::int64_t columns, std::int64_t links, double locality)
{
    GenerateConfig config;
    config.rows = rows;
    config.columns = columns;
    config.links = links;
    config.locality = locality;
    return without_split(generate(config, 1));
}

/// A million links.
inline const Dataset& power_law_data()
{
    static const Dataset data = made_up(30'000, 20'000, 1'000'000, 0.8);
    return data;
}

/// As many users, films and ratings as MovieLens 1M has.
inline const Dataset& movielens_shape()
{
    static const Dataset data = made_up(6'040, 3'706, 1'000'209, 0);
    return data;
}

/// With a tenth of its rows held out for evaluation.
inline const Dataset& data_with_test_rows()
{
    static const Dataset data = [] {
        GenerateConfig config;
        config.rows = 200'000;
        config.columns = 100'000;
        config.links = 4'000'000;
        return split(generate(config, 1), {0.1, 0.25, 5, 1});
    }();
    return data;
}

using DataOf = const Dataset& (*)();

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
