// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/store/tensor_store.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace alxsim::offload {

/// A way that blocks may go.
struct Way {
    IoPath path;
    IoEngine engine;
};

std::ostream& operator<<(std::ostream& stream, const Way& way);

/// All that this system has: io_uring may be missing.
std::vector<Way> ways();

StoreOptions options_of(const Way& way, int buffers = 4, int queue_depth = 32);

/// Bytes that a tensor has in a step, and no other has.
AlignedBytes bytes_of(int tensor, std::int64_t step, std::size_t size);

bool equal(const AlignedBytes& left, const AlignedBytes& right);

/// Writes all tensors as they are in a step, without a commit.
void write_step(TensorStore& store, std::int64_t step);

/// Reads a tensor as the store has it.
AlignedBytes read_tensor(TensorStore& store, int tensor);

/// The first tensor that is not as it is in this step; -1: all are. Step -1: zeros.
int first_not_of_step(TensorStore& store, std::int64_t step);

std::string file_content(const std::string& path);

} // namespace alxsim::offload
