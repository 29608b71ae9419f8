// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// One of the parts into which a study's points are shared out: 1 to `of`.
struct Shard {
    int index = 1;
    int of = 1;

    std::string name() const { return std::to_string(index) + "/" + std::to_string(of); }
};

template <class Fields>
void list_fields(Fields& fields, Shard& shard)
{
    fields("index", shard.index);
    fields("of", shard.of);
}

/// Reads "3/16". Throws InputError, naming `option`.
Shard shard_of(const std::string& text, const std::string& option);

/// The numbers of a shard's points, in order: each point goes, the costliest first, to the shard
/// that has the least so far (longest processing time first). Every point is in one shard.
std::vector<std::size_t> points_of(const Shard& shard, const std::vector<double>& costs);

} // namespace alxsim::experiments
