// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/transfer_queue.h"

#include "base/input_error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

namespace alxsim::offload {
namespace {

std::string in_hexadecimal(std::uint32_t checksum)
{
    char text[9];
    std::snprintf(text, sizeof text, "%08x", checksum);
    return text;
}

std::string place_in_file(const StoreLayout& layout, const TensorTransfer& transfer,
                          std::size_t block)
{
    const std::uint64_t offset = layout.block_offset(transfer.tensor, transfer.slot, block);
    return "tensor '" + layout.tensor(transfer.tensor).name + "', block " + std::to_string(block) +
           " at byte " + std::to_string(offset);
}

/// Returns the size of one buffer: a whole tensor, or a block that is no whole number of pages, or
/// nothing.
std::size_t buffer_size(const StoreFile& file, bool bounce)
{
    const std::size_t largest = file.layout().largest_tensor();
    return bounce ? largest : file.is_direct() ? std::min(largest, file.layout().block_bytes()) : 0;
}

} // namespace

TransferQueue::TransferQueue(const StoreFile& file, std::vector<TensorBlocks>& blocks,
                             std::unique_ptr<BlockEngine> engine, int depth, int buffers,
                             bool bounce)
    : file_(file),
      blocks_(blocks),
      engine_(std::move(engine)),
      bounce_(bounce),
      places_(depth)
{
    for (int i = 0; i < buffers; ++i) {
        buffers_.emplace_back(buffer_size(file, bounce));
    }
    for (AlignedBytes& buffer : buffers_) {
        free_buffers_.push_back(&buffer);
    }
    thread_ = std::thread([this] { work(); });
}

TransferQueue::~TransferQueue()
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

PendingTransfer TransferQueue::add(const TensorTransfer& transfer)
{
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !free_buffers_.empty(); });
    Running& running = under_way_.emplace_back();
    running.what = transfer;
    running.buffer = free_buffers_.back();
    free_buffers_.pop_back();
    changed_.notify_all();
    return PendingTransfer(running.promise.get_future());
}

void TransferQueue::drain()
{
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return under_way_.empty(); });
}

/// What a transfer meets is told with its outcome. An engine that fails as such ends the program:
/// its blocks may still be moving bytes.
void TransferQueue::work()
{
    while (wait_for_work()) {
        while (in_flight_ < places_.size()) {
            Running* const transfer = next_with_blocks();
            if (transfer == nullptr) {
                break;
            }
            begin_block(*transfer);
        }
        if (in_flight_ > 0) {
            finish_block(engine_->next_done());
        }
    }
}

/// False: there is nothing left, and no more will come.
bool TransferQueue::wait_for_work()
{
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !under_way_.empty(); });
    return !under_way_.empty();
}

/// The earliest that has a block to begin, and before it no other of its tensor; null if none has.
TransferQueue::Running* TransferQueue::next_with_blocks()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    std::set<int> earlier;
    for (Running& transfer : under_way_) {
        const int tensor = transfer.what.tensor;
        if (earlier.insert(tensor).second && !transfer.problem.is_there() &&
            transfer.begun < file_.layout().blocks(tensor)) {
            return &transfer;
        }
    }
    return nullptr;
}

bool TransferQueue::goes_through_buffer(std::size_t size) const
{
    return bounce_ || (file_.is_direct() && size % page_bytes != 0);
}

/// Where the file's bytes of a block come from or go to.
char* TransferQueue::place_of(const Running& transfer, std::size_t block) const
{
    const std::size_t offset = block * file_.layout().block_bytes();
    if (bounce_) {
        return transfer.buffer->data() + offset;
    }
    const std::size_t size = file_.layout().block_size(transfer.what.tensor, block);
    return goes_through_buffer(size) ? transfer.buffer->data() : transfer.what.memory + offset;
}

void TransferQueue::begin_block(Running& transfer)
{
    const TensorTransfer& what = transfer.what;
    TensorBlocks& blocks = blocks_[what.tensor];
    if (!what.write && blocks.failed_write.is_there()) {
        transfer.problem = blocks.failed_write;
        finish(transfer);
        return;
    }
    const StoreLayout& layout = file_.layout();
    const std::size_t index = transfer.begun++;
    const std::size_t size = layout.block_size(what.tensor, index);
    char* const place = place_of(transfer, index);
    const std::size_t moved = file_.is_direct() ? in_whole_pages(size) : size;
    if (what.write) {
        const char* const source = what.memory + index * layout.block_bytes();
        if (goes_through_buffer(size)) {
            std::memcpy(place, source, size);
            std::memset(place + size, 0, moved - size);
        }
        blocks.checksums[what.slot][index] = checksum_of(place, size);
    }
    const auto free = std::find_if(places_.begin(), places_.end(),
                                   [](const Block& block) { return block.of == nullptr; });
    *free = {&transfer,
             index,
             {what.write, file_.block_descriptor(), place, moved,
              layout.block_offset(what.tensor, what.slot, index)}};
    ++transfer.in_flight;
    ++in_flight_;
    engine_->begin(free - places_.begin(), free->left);
}

/// Begins what is left of a block of which only a part went.
void TransferQueue::finish_block(const BlockResult& result)
{
    Block& block = places_[result.tag];
    const std::size_t done = std::max<ssize_t>(result.result, 0);
    if (done > 0 && done < block.left.size) {
        block.left.bytes += done;
        block.left.size -= done;
        block.left.offset += done;
        engine_->begin(result.tag, block.left);
        return;
    }
    Running& transfer = *block.of;
    try {
        check_block(block, result);
    } catch (...) {
        if (!transfer.problem.is_there() || block.index < transfer.problem_block) {
            transfer.problem = TransferProblem::of_current_exception();
            transfer.problem_block = block.index;
        }
    }
    block.of = nullptr;
    --in_flight_;
    --transfer.in_flight;
    const bool begun = transfer.begun == file_.layout().blocks(transfer.what.tensor);
    if (transfer.in_flight == 0 && (begun || transfer.problem.is_there())) {
        finish(transfer);
    }
}

/// Throws where it was not moved, or what was read is not what was written.
void TransferQueue::check_block(const Block& block, const BlockResult& result)
{
    const StoreLayout& layout = file_.layout();
    const TensorTransfer& what = block.of->what;
    const std::string& path = file_.path();
    if (result.result <= 0 && what.write) {
        file_.refuse_write(result.result == 0 ? EIO : static_cast<int>(-result.result),
                           block.left.size, place_in_file(layout, what, block.index));
    }
    if (result.result < 0) {
        throw std::runtime_error("cannot read " + path + ", " +
                                 place_in_file(layout, what, block.index) + ": " +
                                 std::strerror(static_cast<int>(-result.result)));
    }
    if (what.write) {
        return;
    }
    const std::size_t size = layout.block_size(what.tensor, block.index);
    const char* const bytes = place_of(*block.of, block.index);
    const std::uint32_t found = checksum_of(bytes, size);
    const std::uint32_t expected = blocks_[what.tensor].checksums[what.slot][block.index];
    if (result.result == 0 || found != expected) {
        throw InputError(path, place_in_file(layout, what, block.index),
                         result.result == 0
                             ? "this block is damaged: the file ends before it does"
                             : "this block is damaged: found " + in_hexadecimal(found) +
                                   " as its checksum; allowed: " + in_hexadecimal(expected));
    }
    if (goes_through_buffer(size)) {
        std::memcpy(what.memory + block.index * layout.block_bytes(), bytes, size);
    }
}

void TransferQueue::finish(Running& transfer)
{
    TransferProblem problem = std::move(transfer.problem);
    if (transfer.what.write) {
        blocks_[transfer.what.tensor].failed_write = problem;
    }
    std::promise<TransferProblem> promise = std::move(transfer.promise);
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        free_buffers_.push_back(transfer.buffer);
        under_way_.remove_if([&](const Running& other) { return &other == &transfer; });
    }
    changed_.notify_all();
    promise.set_value(std::move(problem));
}

} // namespace alxsim::offload
