// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/store/aligned_bytes.h"
#include "workloads/offload/store/store_layout.h"
#include "workloads/offload/store/transfer_problem.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace alxsim::offload {

/// How blocks come from the file. `kernel`: into a buffer of the store through the system's page
/// cache, then copied (a bounce buffer). `user`: straight into the caller's memory, past the page
/// cache (O_DIRECT) where the file system allows it.
enum class IoPath { kernel, user };

/// Who keeps blocks in flight: io_uring, or threads with pread and pwrite. The bits are the same.
enum class IoEngine { io_uring, threads };

struct StoreOptions {
    int queue_depth = 32; ///< blocks in flight; DeepSpeed's usual setting
    int buffers = 4;      ///< tensors under way at once
    IoPath path = IoPath::user;
    std::optional<IoEngine> engine; ///< none: io_uring where the system allows it
};

/// Named tensors of raw bytes in one file, for a training step whose state is larger than memory.
/// Any thread may call it.
///
/// A step reads tensors, writes some of them anew and commits. Reads see the last write that was
/// asked for; the file holds what the last commit saw, at whatever moment the process is killed.
class TensorStore {
public:
    /// Opens a file that create_store() made, at its last commit. Throws InputError for a file that
    /// is missing, in use, damaged, or of another layout; std::invalid_argument for options that
    /// are no positive numbers; std::runtime_error where io_uring is asked for and not to be had.
    TensorStore(const std::string& path, const StoreLayout& layout, const StoreOptions& options);
    /// Waits for what is under way; what was not committed is lost.
    ~TensorStore();
    TensorStore(const TensorStore&) = delete;
    TensorStore& operator=(const TensorStore&) = delete;

    /// Begins to read a whole tensor, or to write it, and returns at once unless `buffers` tensors
    /// are under way. The memory must stay, and with `write` keep its content, until it is done.
    /// Transfers of one tensor go one after another.
    ///
    /// get() throws InputError for a block whose checksum is wrong, with file, tensor, block,
    /// place and both checksums, and where there is no room left; std::runtime_error where the
    /// system refuses. After a write that failed, reads of this tensor and commits throw the same
    /// until it is written anew. Throws std::invalid_argument for memory of another size and, with
    /// IoPath::user, for memory that does not begin at a page (AlignedBytes).
    PendingTransfer read(int tensor, char* memory, std::size_t bytes);
    PendingTransfer write(int tensor, const char* memory, std::size_t bytes);

    /// Waits for all that is under way; then what tensors hold now is the last commit, on the disk.
    /// Tensors that were not written since the former one keep their bytes. Throws what a failed
    /// write threw. Where the commit itself fails, all writes and commits from then on throw the
    /// same: the file holds the former commit or this one, and tells which when it is opened again.
    void commit(std::int64_t step);

    /// Returns the step of the last commit; none: there is none yet, and all tensors hold zeros.
    std::optional<std::int64_t> step() const;
    const StoreLayout& layout() const;

    IoEngine io_engine() const;
    /// Whether blocks go past the system's page cache.
    bool is_direct() const;
    /// Why io_uring, and why direct I/O, are not used; "" where they are, or were not wanted.
    const std::string& why_not_io_uring() const;
    const std::string& why_not_direct() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace alxsim::offload
