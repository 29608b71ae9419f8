// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace alxsim::experiments {

/// The processes of one job on one or several hosts, and texts between them.
class Ranks {
public:
    struct Message {
        int from = 0;
        std::string text;
    };

    virtual ~Ranks() = default;
    virtual int rank() const = 0; ///< of this process; 0 gives out the work
    virtual int size() const = 0;
    virtual int on_this_host() const = 0; ///< how many of them
    /// Returns at once. Texts from one rank to another come in their order.
    virtual void send(int to, const std::string& text) = 0;
    /// What has come, or nothing.
    virtual std::optional<Message> receive() = 0;
    /// The job ends without a farewell: some ranks may be lost, and are not waited for.
    virtual void abandon() = 0;
};

/// The ranks that `mpirun` started. Throws InputError, naming --mpi, where this program has no MPI.
std::unique_ptr<Ranks> open_mpi_ranks();

} // namespace alxsim::experiments
