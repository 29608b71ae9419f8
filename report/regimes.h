// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace alxsim::report {

/// The `fit` of points over core counts, with what each term is made of, phase by phase; as the
/// schema has it. `fitting` as from fitting_points(). None for too few points.
std::optional<Json> fit_json(const std::vector<std::size_t>& fitting, const Json& points);

/// A fit for each regime: a run of consecutive points whose torus axes wrap alike. Messages take
/// another way round a ring than along a line, so one curve cannot be expected to hold for both.
/// Null where a point does not say how its axes wrap (a report of an earlier version).
Json regimes_json(const std::vector<std::size_t>& fitting, const Json& points);

} // namespace alxsim::report
