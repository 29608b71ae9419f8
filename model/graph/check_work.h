// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace alxsim::model {

/// Where something of a graph stands. Its words are made when something is refused. A place holds
/// on to the one around it.
class GraphPlace {
public:
    explicit GraphPlace(const std::string& file) : file_(file) {}

    GraphPlace at(const char* field) const { return {*this, field, -1}; }
    GraphPlace at(const char* list, std::size_t index) const
    {
        return {*this, list, static_cast<std::ptrdiff_t>(index)};
    }
    /// Throws InputError.
    [[noreturn]] void refuse(const std::string& found, const std::string& allowed) const;
    [[noreturn]] void refuse(const std::string& problem) const;
    /// Throws InputError with the field's name unless low <= value <= high.
    void expect(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) const;
    void expect(const char* field, double value) const; ///< 0 or more, and finite

private:
    GraphPlace(const GraphPlace& outside, const char* field, std::ptrdiff_t index)
        : file_(outside.file_),
          outside_(&outside),
          field_(field),
          index_(index)
    {
    }

    std::string pointer() const;

    const std::string& file_;
    const GraphPlace* outside_ = nullptr;
    const char* field_ = "";
    std::ptrdiff_t index_ = -1; ///< -1: it is no list
};

/// Throws InputError for a size beyond its limits or parts that do not fit each other. The body of
/// a repeat is looked at elsewhere.
void check_work(const Work& work, const GraphPlace& place);

/// The same of who talks to whom: ranks, messages, their order, and the root's kind.
void check_collective(const Collective& collective, const GraphPlace& place);

/// "matmul", "copy from host to hbm".
std::string kind_in_words(const Work& work);

} // namespace alxsim::model
