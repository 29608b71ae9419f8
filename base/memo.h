// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <set>

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

    /// The same for what takes long: who asks for what another thread computes waits for it.
    /// `compute` may not wait for other threads.
    template <class Function>
    Value get_once(const Key& key, const Function& compute)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            const auto found = known_.find(key);
            if (found != known_.end()) {
                return found->second;
            }
            if (computing_.insert(key).second) {
                break;
            }
            computed_.wait(lock);
        }
        lock.unlock();
        const Computing ended{*this, key};
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
    /// However it ends.
    struct Computing {
        ~Computing()
        {
            {
                const std::lock_guard<std::mutex> lock(memo.mutex_);
                memo.computing_.erase(key);
            }
            memo.computed_.notify_all();
        }
        Memo& memo;
        const Key& key;
    };

    std::size_t most_;
    mutable std::mutex mutex_;
    std::map<Key, Value> known_;
    std::set<Key> computing_; ///< once
    std::condition_variable computed_;
};

} // namespace alxsim
