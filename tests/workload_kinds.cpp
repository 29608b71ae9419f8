// SPDX-License-Identifier: Apache-2.0
// Gives the tests of a binary the kinds of workload that the program has.
#include "program/registration/workloads.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

class WorkloadKinds : public ::testing::Environment {
public:
    void SetUp() override { program::add_workloads(); }
};

[[maybe_unused]] const ::testing::Environment* const kinds =
    ::testing::AddGlobalTestEnvironment(new WorkloadKinds);

} // namespace
} // namespace alxsim
