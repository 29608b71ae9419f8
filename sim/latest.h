// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace alxsim::sim {

/// The last ones of a series, at most `most`. Takes no more memory than they need.
template <class Value, std::size_t most>
class Latest {
public:
    void clear() { values_.clear(); }
    void add(const Value& value)
    {
        if (values_.size() < most) {
            last_ = values_.size();
            values_.push_back(value);
        } else {
            last_ = (last_ + 1) % most;
            values_[last_] = value;
        }
    }
    /// The one that was added `back` before the last one.
    const Value& before_last(std::size_t back) const
    {
        return values_[(last_ + values_.size() - back) % values_.size()];
    }
    const Value& last() const { return values_[last_]; }
    /// In no order.
    const std::vector<Value>& all() const { return values_; }

private:
    std::vector<Value> values_;
    std::size_t last_ = 0;
};

} // namespace alxsim::sim
