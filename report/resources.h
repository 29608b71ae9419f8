// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::report {

/// The report's schema, the parts of its page, the glossary of docs/ ("glossary.md") and Chart.js
/// ("chart.min.js"), embedded at build time.
const Resources& resources();

} // namespace alxsim::report
