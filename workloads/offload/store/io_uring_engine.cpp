// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/block_engine.h"

#ifdef ALXSIM_WITH_IO_URING
#include <cerrno>
#include <cstring>
#include <liburing.h>
#include <system_error>
#endif

namespace alxsim::offload {

#ifdef ALXSIM_WITH_IO_URING
namespace {

/// A kernel of 5.6 or later has these.
bool knows_reads_and_writes(io_uring& ring)
{
    io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
    const bool known = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                       io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
    io_uring_free_probe(probe);
    return known;
}

class IoUringEngine : public BlockEngine {
public:
    IoUringEngine(int depth, std::string& why_not)
    {
        const int result = io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0);
        is_open_ = result == 0;
        if (!is_open_) {
            why_not = std::string("the system refuses io_uring: ") + std::strerror(-result);
        } else if (!knows_reads_and_writes(ring_)) {
            why_not = "the system's io_uring neither reads nor writes";
        }
    }
    ~IoUringEngine() override
    {
        if (is_open_) {
            io_uring_queue_exit(&ring_);
        }
    }
    IoUringEngine(const IoUringEngine&) = delete;
    IoUringEngine& operator=(const IoUringEngine&) = delete;

    /// Told to the system with all that is begun before the next wait.
    void begin(std::size_t tag, const BlockTransfer& block) override
    {
        io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
        const auto size = static_cast<unsigned>(block.size);
        if (block.write) {
            io_uring_prep_write(entry, block.descriptor, block.bytes, size, block.offset);
        } else {
            io_uring_prep_read(entry, block.descriptor, block.bytes, size, block.offset);
        }
        io_uring_sqe_set_data64(entry, tag);
    }

    BlockResult next_done() override
    {
        do {
            const unsigned wanted = io_uring_cq_ready(&ring_) == 0 ? 1 : 0;
            const int result = io_uring_submit_and_wait(&ring_, wanted);
            if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) {
                throw std::system_error(-result, std::generic_category(), "io_uring");
            }
        } while (io_uring_cq_ready(&ring_) == 0);
        io_uring_cqe* entry = nullptr;
        io_uring_peek_cqe(&ring_, &entry);
        const BlockResult done{io_uring_cqe_get_data64(entry), entry->res};
        io_uring_cqe_seen(&ring_, entry);
        return done;
    }

private:
    io_uring ring_{};
    bool is_open_ = false;
};

} // namespace

std::unique_ptr<BlockEngine> make_io_uring_engine(int depth, std::string& why_not)
{
    why_not.clear();
    auto engine = std::make_unique<IoUringEngine>(depth, why_not);
    return why_not.empty() ? std::move(engine) : nullptr;
}
#else
std::unique_ptr<BlockEngine> make_io_uring_engine(int /*depth*/, std::string& why_not)
{
    why_not = "built without liburing";
    return nullptr;
}
#endif

} // namespace alxsim::offload
