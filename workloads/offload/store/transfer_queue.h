// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/store/aligned_bytes.h"
#include "workloads/offload/store/block_engine.h"
#include "workloads/offload/store/store_file.h"
#include "workloads/offload/store/transfer_problem.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace alxsim::offload {

/// Checksums of the blocks in both slots of a tensor, and why the last write to it failed.
struct TensorBlocks {
    std::array<std::vector<std::uint32_t>, 2> checksums;
    TransferProblem failed_write;
};

/// A whole tensor on its way.
struct TensorTransfer {
    bool write = false;
    int tensor = 0;
    int slot = 0;
    char* memory = nullptr;
};

/// Moves whole tensors between memory and a store's file, block by block, on a thread of its own:
/// transfers of one tensor one after another as they were asked for, those of several beside each
/// other.
class TransferQueue {
public:
    /// `bounce`: blocks go through a buffer that the system's page cache is copied from and to, and
    /// are copied once more. At most `buffers` transfers are under way at a time.
    TransferQueue(const StoreFile& file, std::vector<TensorBlocks>& blocks,
                  std::unique_ptr<BlockEngine> engine, int depth, int buffers, bool bounce);
    /// Waits for all.
    ~TransferQueue();
    TransferQueue(const TransferQueue&) = delete;
    TransferQueue& operator=(const TransferQueue&) = delete;

    /// Waits for a buffer. The memory must stay until it is done.
    PendingTransfer add(const TensorTransfer& transfer);
    /// Waits until nothing is under way.
    void drain();

private:
    /// A transfer that is under way.
    struct Running {
        TensorTransfer what;
        std::promise<TransferProblem> promise;
        AlignedBytes* buffer = nullptr;
        std::size_t begun = 0; ///< blocks
        std::size_t in_flight = 0;
        TransferProblem problem; ///< of the first block that has one
        std::size_t problem_block = 0;
    };
    /// A block in flight, or a place for one.
    struct Block {
        Running* of = nullptr; ///< null: the place is free
        std::size_t index = 0;
        BlockTransfer left; ///< of it
    };

    void work();
    bool wait_for_work();
    Running* next_with_blocks();
    void begin_block(Running& transfer);
    void finish_block(const BlockResult& result);
    void check_block(const Block& block, const BlockResult& result);
    void finish(Running& transfer);
    char* place_of(const Running& transfer, std::size_t block) const;
    bool goes_through_buffer(std::size_t size) const;

    const StoreFile& file_;
    std::vector<TensorBlocks>&
        blocks_; ///< of each tensor; this thread's while something is under way
    std::unique_ptr<BlockEngine> engine_;
    const bool bounce_;
    std::vector<Block> places_; ///< as many as blocks may be in flight
    std::size_t in_flight_ = 0;

    std::mutex mutex_; ///< of what follows
    std::condition_variable changed_;
    std::list<Running> under_way_; ///< as they were asked for
    std::vector<AlignedBytes> buffers_;
    std::vector<AlignedBytes*> free_buffers_;
    bool ended_ = false;
    std::thread thread_;
};

} // namespace alxsim::offload
