// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"

namespace alxsim::alx {

/// About what a file holds, before it is read: by the file's header where it has one, else by its
/// first 4 MiB of text and its size, as if the rest were alike. All 0 for what cannot be looked at,
/// and for a pipe.
MatrixSize predicted_size(const DatasetFile& file);

} // namespace alxsim::alx
