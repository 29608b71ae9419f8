// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/tensor_store.h"

#include "workloads/offload/store/block_engine.h"
#include "workloads/offload/store/store_file.h"
#include "workloads/offload/store/transfer_queue.h"

#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace alxsim::offload {
namespace {

constexpr int deepest_queue = 4096;

const StoreOptions& checked(const StoreOptions& options)
{
    if (options.queue_depth < 1 || options.queue_depth > deepest_queue) {
        throw std::invalid_argument("tensor store: a queue depth of " +
                                    std::to_string(options.queue_depth) + "; allowed: 1 to " +
                                    std::to_string(deepest_queue));
    }
    if (options.buffers < 1) {
        throw std::invalid_argument("tensor store: " + std::to_string(options.buffers) +
                                    " buffers; allowed: at least 1");
    }
    return options;
}

/// Room for the checksums of both slots, filled in as the file has them.
std::vector<TensorBlocks> known_blocks(const StoreFile& file)
{
    std::vector<TensorBlocks> all(file.layout().count());
    for (int tensor = 0; tensor < file.layout().count(); ++tensor) {
        auto& checksums = all[tensor].checksums;
        const int slot = file.state().slots[tensor];
        checksums[slot] = file.state().checksums[tensor];
        checksums[1 - slot].resize(checksums[slot].size());
    }
    return all;
}

std::unique_ptr<BlockEngine> engine_for(const StoreOptions& options, std::string& why_not_io_uring)
{
    std::unique_ptr<BlockEngine> engine;
    if (options.engine != IoEngine::threads) {
        engine = make_io_uring_engine(options.queue_depth, why_not_io_uring);
        if (!engine && options.engine == IoEngine::io_uring) {
            throw std::runtime_error("io_uring is not to be had: " + why_not_io_uring);
        }
    }
    return engine ? std::move(engine) : make_thread_engine(options.queue_depth);
}

} // namespace

struct TensorStore::Parts {
    Parts(const std::string& name, const StoreLayout& layout, const StoreOptions& options)
        : path(options.path),
          file(name, layout, path == IoPath::user),
          blocks(known_blocks(file)),
          slots(file.state().slots),
          engine(engine_for(options, why_not_io_uring)),
          io_engine(why_not_io_uring.empty() && options.engine != IoEngine::threads
                        ? IoEngine::io_uring
                        : IoEngine::threads),
          queue(file, blocks, std::move(engine), options.queue_depth, options.buffers,
                path == IoPath::kernel)
    {
    }

    void check_memory(int tensor, const char* memory, std::size_t bytes) const;

    const IoPath path;
    StoreFile file;
    std::vector<TensorBlocks> blocks;
    mutable std::mutex mutex; ///< of what follows: calls go one after another
    std::vector<int> slots;   ///< of each tensor: where its last bytes are, or will be
    TransferProblem failed_commit;
    std::string why_not_io_uring;
    std::unique_ptr<BlockEngine> engine; ///< until the queue has it
    const IoEngine io_engine;
    TransferQueue queue; ///< ends before the rest does
};

void TensorStore::Parts::check_memory(int tensor, const char* memory, std::size_t bytes) const
{
    const StoreLayout& layout = file.layout();
    if (tensor < 0 || tensor >= layout.count()) {
        throw std::invalid_argument("tensor store: no tensor " + std::to_string(tensor));
    }
    const StoredTensor& stored = layout.tensor(tensor);
    if (bytes != stored.bytes) {
        throw std::invalid_argument("tensor store: " + std::to_string(bytes) +
                                    " bytes of memory for '" + stored.name +
                                    "'; allowed: " + std::to_string(stored.bytes));
    }
    if (path == IoPath::user && reinterpret_cast<std::uintptr_t>(memory) % page_bytes != 0) {
        throw std::invalid_argument("tensor store: the memory for '" + stored.name +
                                    "' does not begin at a page");
    }
}

TensorStore::TensorStore(const std::string& path, const StoreLayout& layout,
                         const StoreOptions& options)
    : parts_(std::make_unique<Parts>(path, layout, checked(options)))
{
}

TensorStore::~TensorStore() = default;

PendingTransfer TensorStore::read(int tensor, char* memory, std::size_t bytes)
{
    parts_->check_memory(tensor, memory, bytes);
    const std::lock_guard<std::mutex> lock(parts_->mutex);
    return parts_->queue.add({false, tensor, parts_->slots[tensor], memory});
}

PendingTransfer TensorStore::write(int tensor, const char* memory, std::size_t bytes)
{
    parts_->check_memory(tensor, memory, bytes);
    const std::lock_guard<std::mutex> lock(parts_->mutex);
    parts_->failed_commit.raise();
    const int slot = 1 - parts_->file.state().slots[tensor];
    parts_->slots[tensor] = slot;
    return parts_->queue.add({true, tensor, slot, const_cast<char*>(memory)}); // only read
}

void TensorStore::commit(std::int64_t step)
{
    if (step < 0) {
        throw std::invalid_argument("tensor store: a commit of step " + std::to_string(step));
    }
    const std::lock_guard<std::mutex> lock(parts_->mutex);
    parts_->failed_commit.raise();
    parts_->queue.drain();
    CommittedState state{parts_->file.state().generation + 1, step, parts_->slots, {}};
    for (int tensor = 0; tensor < layout().count(); ++tensor) {
        const TensorBlocks& blocks = parts_->blocks[tensor];
        blocks.failed_write.raise();
        state.checksums.push_back(blocks.checksums[state.slots[tensor]]);
    }
    try {
        parts_->file.commit(state);
    } catch (...) {
        parts_->failed_commit = TransferProblem::of_current_exception();
        throw;
    }
}

std::optional<std::int64_t> TensorStore::step() const
{
    const std::lock_guard<std::mutex> lock(parts_->mutex);
    const std::int64_t step = parts_->file.state().step;
    return step < 0 ? std::nullopt : std::optional(step);
}

const StoreLayout& TensorStore::layout() const
{
    return parts_->file.layout();
}

IoEngine TensorStore::io_engine() const
{
    return parts_->io_engine;
}

bool TensorStore::is_direct() const
{
    return parts_->file.is_direct();
}

const std::string& TensorStore::why_not_io_uring() const
{
    return parts_->why_not_io_uring;
}

const std::string& TensorStore::why_not_direct() const
{
    return parts_->file.why_not_direct();
}

} // namespace alxsim::offload
