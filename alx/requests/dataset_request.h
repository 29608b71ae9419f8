// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/filter.h"
#include "alx/data/generator/generate.h"
#include "alx/data/split.h"
#include "alx/requests/point_request.h"

#include <string>

namespace alxsim::alx {

// The data of a study: `workload.dataset` and `workload.split`. All throw InputError.

/// Throws unless `dataset` says in exactly one way where its links come from, without fields that
/// belong to another.
void check_dataset(const DatasetRequest& dataset, const std::string& file);

/// Reads or generates the links of a point, filters and splits them. `file` is the study's, to
/// which paths are relative.
Dataset dataset_of(const PointRequest& point, const std::string& file);

/// The file that a dataset names. Throws where it names none.
DatasetFile dataset_file_of(const DatasetRequest& dataset, const std::string& file);
FilterConfig filter_config_of(const FilterRequest& filter);
/// Sizes may be written like 1e4, but must be whole.
GenerateConfig generate_config_of(const GenerateRequest& generate);

/// What the report says of it.
Json dataset_description(const Dataset& data, const WorkloadRequest& workload);

} // namespace alxsim::alx
