// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

namespace alxsim {

/// Remembers what a pure function yielded for each key, for all threads. Two threads that ask for
/// the same new key may both compute it; they get the same value.
template <class Key, class Value>
class Memo {
public:
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
        const std::lock_guard<std::mutex> lock(mutex_);
        known_.emplace(key, value);
        return value;
    }

    /// What another process computed for a key. One that is known stays.
    void put(const Key& key, const Value& value)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        known_.emplace(key, value);
    }

    std::map<Key, Value> all() const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return known_;
    }

private:
    mutable std::mutex mutex_;
    std::map<Key, Value> known_;
};

} // namespace alxsim
