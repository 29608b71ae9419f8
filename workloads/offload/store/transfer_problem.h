// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <future>
#include <string>
#include <utility>

namespace alxsim::offload {

/// Why something went wrong, if it did, told from one thread to another: each that is told throws
/// an exception of its own. One that they shared would be counted by a library that
/// ThreadSanitizer does not see into.
class TransferProblem {
public:
    TransferProblem() = default;
    /// Makes one of the exception that is being handled.
    static TransferProblem of_current_exception();

    bool is_there() const { return kind_ != Kind::none; }
    /// InputError or std::runtime_error, as it was; nothing where nothing went wrong.
    void raise() const;

private:
    enum class Kind { none, of_input, of_system };
    Kind kind_ = Kind::none;
    std::string file_;
    std::string place_;
    std::string words_;
};

/// A transfer that was asked for.
class PendingTransfer {
public:
    explicit PendingTransfer(std::future<TransferProblem> outcome) : outcome_(std::move(outcome)) {}

    bool is_done() const
    {
        return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
    void wait() const { outcome_.wait(); }
    /// Waits, and throws what went wrong. Once.
    void get() { outcome_.get().raise(); }

private:
    std::future<TransferProblem> outcome_;
};

} // namespace alxsim::offload
