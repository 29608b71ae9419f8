// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "tests/temporary_folder.h"
#include "workloads/tensor_network/host_train.h"
#include "workloads/workload.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// tests/golden/data/workloads/tensor_train.json
Json golden();

/// A job of /workload/tensor_network with what it leaves out.
std::unique_ptr<workloads::Workload> made(const Json& fields, int devices = 1);
/// `results` of its run, on two threads.
Json results_of(const workloads::Workload& workload);
Json results_of(const Json& fields, int devices = 1);

/// 1 / (i + j + .. + 1), or sin(i + j + ..), written to a file.
std::string write_hilbert(const TemporaryFolder& folder, std::int64_t size, std::size_t legs);
std::string write_sine(const TemporaryFolder& folder, std::int64_t size, std::size_t legs);
std::string write_tensor(const TemporaryFolder& folder, const std::string& name,
                         const std::vector<std::int64_t>& sizes, const std::vector<double>& tensor);
/// A file for each core.
std::vector<std::string> write_cores(const TemporaryFolder& folder, const std::string& name,
                                     const HostTrain& train);

/// Normal numbers of streams that count up from `stream`.
HostTrain random_train(std::uint64_t stream, const std::vector<std::int64_t>& sizes,
                       const std::vector<std::int64_t>& ranks);
/// a + factor b.
HostTrain sum(const HostTrain& a, double factor, const HostTrain& b);

/// A tensor that is a MERA: disentanglers and isometries are Qs of streams that count up from 201.
std::vector<double> mera_tensor(std::int64_t size, std::size_t legs,
                                const std::vector<std::int64_t>& ranks);

} // namespace alxsim::tensor_network
