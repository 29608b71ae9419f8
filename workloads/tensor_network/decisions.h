// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace alxsim::tensor_network {

/// What the data of a step decide about its shapes: ranks, and how often a loop runs, in the order
/// in which the step asks. A compiled program has static shapes, so that somebody decides before
/// its next part is compiled; here either the numbers do, once, or a list of what they decided.
class Decisions {
public:
    /// Found in the numbers.
    Decisions() = default;
    /// As they were found, or are assumed.
    explicit Decisions(std::vector<std::int64_t> given) : given_(std::move(given)) {}

    bool are_given() const { return given_.has_value(); }
    /// The next one. Throws std::logic_error where more is asked for than was given.
    std::int64_t next(const std::function<std::int64_t()>& find);
    /// All until now.
    const std::vector<std::int64_t>& taken() const { return taken_; }

private:
    std::optional<std::vector<std::int64_t>> given_;
    std::vector<std::int64_t> taken_;
};

} // namespace alxsim::tensor_network
