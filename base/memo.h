// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <mutex>

namespace alxsim {

/// Remembers what a pure function yielded for each key, for all threads. Two threads that ask for
/// the same new key may both compute it; they get the same value. With `most` keys it forgets all
/// and begins anew.
template <class Key, class Value>
class Memo {
public:
    explicit Memo(std::size_t most = std::numeric_limits<std::size_t>::max()) : most_(most) {}

    template <class Function>
    Value get(const Key& key, const Function& compute)
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = known_.find(key);
            if (found != known_.end()) {
                return found->second;
            }
        }
        Value value = compute();
        put(key, value);
        return value;
    }

    /// A value that was computed elsewhere. One that is known stays.
    void put(const Key& key, const Value& value)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (known_.size() >= most_) {
            known_.clear();
        }
        known_.emplace(key, value);
    }

    std::map<Key, Value> all() const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return known_;
    }

private:
    std::size_t most_;
    mutable std::mutex mutex_;
    std::map<Key, Value> known_;
};

} // namespace alxsim
