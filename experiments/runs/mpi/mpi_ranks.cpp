// SPDX-License-Identifier: Apache-2.0
// A module beside the program, loaded for `run --mpi` alone: without it nothing of MPI is needed.
#include "experiments/runs/executors/ranks.h"

#include <chrono>
#include <cstdlib>
#include <list>
#include <mpi.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace alxsim::experiments {
namespace {

/// What is said to ranks that may be lost is not waited for.
constexpr std::chrono::seconds longest_farewell{1};

constexpr unsigned longest_start_seconds = 600;

/// Ranks of one host talk through its memory: OpenMPI then need not look for fast networks, which
/// takes it a fifth of a second. Who says which way to go is obeyed.
void begin_quickly_on_one_host()
{
    const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
    const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (all != nullptr && here != nullptr && std::string(all) == here) {
        setenv("OMPI_MCA_pml", "ob1", 0);
    }
}

class MpiRanks : public Ranks {
public:
    MpiRanks()
    {
        begin_quickly_on_one_host();
        // Where mpirun lets a job live that has lost a rank, MPI_Init waits for that one for ever.
        alarm(longest_start_seconds);
        MPI_Init(nullptr, nullptr);
        alarm(0);
        // A lost rank is noticed by its silence, not by an error that ends this one, too.
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm host = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
        MPI_Comm_size(host, &on_this_host_);
        share_cores(host);
        MPI_Comm_free(&host);
    }
    ~MpiRanks() override
    {
        const auto end = Clock::now() + longest_farewell;
        while (!all_sent() && (!abandoned_ || Clock::now() < end)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (!abandoned_) {
            MPI_Finalize();
        }
    }
    MpiRanks(const MpiRanks&) = delete;
    MpiRanks& operator=(const MpiRanks&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int on_this_host() const override { return on_this_host_; }
    void abandon() override { abandoned_ = true; }

    void send(int to, const std::string& text) override
    {
        all_sent();
        Sending& sending = sendings_.emplace_back();
        sending.text = text;
        MPI_Isend(sending.text.data(), static_cast<int>(sending.text.size()), MPI_CHAR, to, 0,
                  MPI_COMM_WORLD, &sending.request);
    }

    std::optional<Message> receive() override
    {
        int there = 0;
        MPI_Message handle = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &handle, &status);
        if (there == 0) {
            return std::nullopt;
        }
        int length = 0;
        MPI_Get_count(&status, MPI_CHAR, &length);
        Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
        MPI_Mrecv(message.text.data(), length, MPI_CHAR, &handle, MPI_STATUS_IGNORE);
        return message;
    }

private:
    using Clock = std::chrono::steady_clock;

    /// mpirun binds each rank to a core. Rank 0 has two processes at work, as it gives out points
    /// and has some of its own: it may use all cores of the ranks of its host.
    void share_cores(MPI_Comm host) const
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        cpu_set_t all = own;
        sched_getaffinity(0, sizeof own, &own);
        MPI_Reduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, 0, host);
        if (rank_ == 0) {
            sched_setaffinity(0, sizeof all, &all);
        }
    }

    /// Forgets what has gone.
    bool all_sent()
    {
        sendings_.remove_if([](Sending& sending) {
            int done = 0;
            MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
            return done != 0;
        });
        return sendings_.empty();
    }

    /// A text stays where it is until it has gone.
    struct Sending {
        std::string text;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    int rank_ = 0;
    int size_ = 1;
    int on_this_host_ = 1;
    bool abandoned_ = false;
    std::list<Sending> sendings_;
};

} // namespace
} // namespace alxsim::experiments

/// What open_mpi_ranks() looks for.
extern "C" alxsim::experiments::Ranks* alxsim_open_mpi_ranks()
{
    return new alxsim::experiments::MpiRanks;
}
