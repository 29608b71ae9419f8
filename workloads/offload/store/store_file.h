// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/store/store_header.h"
#include "workloads/offload/store/store_layout.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace alxsim::offload {

/// Makes the file of a store whose tensors hold zeros, with all its room, so that no later write
/// finds the disk full. Whole or not at all; what has that name already is not touched. Throws
/// InputError where there is no room, std::runtime_error where it cannot be written otherwise.
void create_store(const std::string& path, const StoreLayout& layout);

/// A descriptor that is closed with it.
class Descriptor {
public:
    explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    void reset(int descriptor = -1);

private:
    int descriptor_;
};

/// The file of a store while it is used, by one process at a time.
class StoreFile {
public:
    /// `direct`: blocks go past the system's page cache (O_DIRECT) where the file system lets them.
    /// Mends a copy of the header that a kill has left behind. Throws InputError for a file that is
    /// missing, in use, damaged, too short, or of another layout.
    StoreFile(const std::string& path, const StoreLayout& layout, bool direct);

    const std::string& path() const { return path_; }
    const StoreLayout& layout() const { return layout_; }
    /// The last commit's.
    const CommittedState& state() const { return state_; }

    /// For blocks.
    int block_descriptor() const { return direct_.is_open() ? direct_.get() : file_.get(); }
    bool is_direct() const { return direct_.is_open(); }
    /// Why it is not; "" where it is, or was not asked for.
    const std::string& why_not_direct() const { return why_not_direct_; }

    /// Makes what the blocks hold now, and which step that is, the last commit. Throws InputError
    /// or std::runtime_error; the file then holds the former commit or this one, whole.
    void commit(const CommittedState& state);

    /// Refuses a write of `bytes` bytes that failed with this errno.
    [[noreturn]] void refuse_write(int error, std::size_t bytes, const std::string& place) const;

private:
    void open_direct();
    void lock();
    void find_header();
    FoundHeader read_header(int copy) const;
    void refuse_another_layout(const FoundHeader& found) const;
    void write_header(int copy, const std::string& bytes);
    void sync();

    std::string path_;
    StoreLayout layout_;
    CommittedState state_;
    Descriptor file_;
    Descriptor direct_;
    std::string why_not_direct_;
};

} // namespace alxsim::offload
