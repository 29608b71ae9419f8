// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/store_file.h"

#include "base/durable.h"
#include "base/file_output.h"
#include "base/input_error.h"
#include "workloads/offload/store/aligned_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <stdexcept>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>

namespace alxsim::offload {
namespace {

constexpr int header_copies = 2;
constexpr int most_waits = 50; ///< for a lock
constexpr std::chrono::milliseconds between_waits(20);

bool is_want_of_room(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/// What the disk has left for us, or a file may have at most.
std::string available_in_words(int descriptor, int error)
{
    struct rlimit limit = {};
    if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        return std::to_string(limit.rlim_cur) + " bytes in one file (ulimit -f)";
    }
    struct statvfs disk = {};
    if (fstatvfs(descriptor, &disk) != 0) {
        return "unknown";
    }
    return std::to_string(disk.f_bavail * disk.f_frsize) + " bytes";
}

[[noreturn]] void refuse_room(const std::string& path, const std::string& place, int descriptor,
                              int error, std::uint64_t bytes)
{
    if (!is_want_of_room(error)) {
        throw std::runtime_error("cannot write " + path + (place.empty() ? "" : ", " + place) +
                                 ": " + std::strerror(error));
    }
    throw InputError(path, place,
                     "found no room for " + std::to_string(bytes) + " bytes of the tensor store (" +
                         std::strerror(error) +
                         "); available: " + available_in_words(descriptor, error));
}

/// 0, or the errno.
int write_all(int descriptor, const char* bytes, std::size_t size, std::uint64_t offset)
{
    while (size > 0) {
        const ssize_t written = pwrite(descriptor, bytes, size, static_cast<off_t>(offset));
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        const std::size_t done = std::max<ssize_t>(written, 0);
        bytes += done;
        size -= done;
        offset += done;
    }
    return 0;
}

/// As much as there is.
std::string read_some(int descriptor, std::size_t size, std::uint64_t offset)
{
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count =
            pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        done += std::max<ssize_t>(count, 0);
    }
    bytes.resize(done);
    return bytes;
}

std::uint64_t size_of(int descriptor)
{
    struct stat file = {};
    return fstat(descriptor, &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
}

/// The disk is asked first: a file system may fill it all before it says that it cannot.
bool has_room(int descriptor, std::uint64_t bytes)
{
    struct statvfs disk = {};
    return fstatvfs(descriptor, &disk) != 0 || disk.f_blocks == 0 || // of no fixed size
           bytes / disk.f_frsize < disk.f_bavail;
}

/// 0, or the errno.
int fill(int descriptor, const StoreLayout& layout)
{
    if (!has_room(descriptor, layout.file_bytes())) {
        return ENOSPC;
    }
    int error = posix_fallocate(descriptor, 0, static_cast<off_t>(layout.file_bytes()));
    const std::string header = encode_header(layout, zeros(layout));
    for (int copy = 0; copy < header_copies && error == 0; ++copy) {
        error = write_all(descriptor, header.data(), header.size(), layout.header_offset(copy));
    }
    return error;
}

} // namespace

void create_store(const std::string& path, const StoreLayout& layout)
{
    write_new_file(path, [&](int descriptor) {
        const int error = fill(descriptor, layout);
        if (error != 0) {
            refuse_room(path, "", descriptor, error, layout.file_bytes());
        }
    });
    sync_files({path}); // and its name
}

Descriptor::~Descriptor()
{
    reset();
}

void Descriptor::reset(int descriptor)
{
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    descriptor_ = descriptor;
}

StoreFile::StoreFile(const std::string& path, const StoreLayout& layout, bool direct)
    : path_(path),
      layout_(layout),
      file_(open(path.c_str(), O_RDWR | O_CLOEXEC))
{
    if (!file_.is_open()) {
        throw InputError(path_, "", std::string("cannot be opened: ") + std::strerror(errno));
    }
    if (direct) {
        open_direct();
    }
    lock();
    find_header();
}

/// Blocks that a process has begun by io_uring may go on after it was killed. The lock goes with
/// what they are written by, so it is free when they have ended, which we wait for.
void StoreFile::lock()
{
    for (int waited = 0; flock(block_descriptor(), LOCK_EX | LOCK_NB) != 0; ++waited) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return; // a file system without locks
        }
        if (waited == most_waits) {
            throw InputError(path_, "", "this tensor store is in use already");
        }
        std::this_thread::sleep_for(between_waits);
    }
}

FoundHeader StoreFile::read_header(int copy) const
{
    const std::uint64_t offset = layout_.header_offset(copy);
    const std::string prefix = read_some(file_.get(), header_prefix_size(), offset);
    const std::size_t length = length_in_prefix(prefix);
    if (length > size_of(file_.get())) {
        throw NoHeader("is damaged: its header ends too early");
    }
    return decode_header(read_some(file_.get(), length, offset));
}

/// Takes, of both copies, the one of more commits that is whole. A kill between the two leaves the
/// second one commit behind; a kill in the midst of one leaves that one damaged. Then it is written
/// again: the next commit must find two that are whole, for it may break one.
void StoreFile::find_header()
{
    std::array<std::optional<FoundHeader>, header_copies> found;
    std::string problem;
    for (int copy = 0; copy < header_copies; ++copy) {
        try {
            found[copy] = read_header(copy);
        } catch (const NoHeader& none) {
            problem = problem.empty() ? none.what() : problem;
        }
    }
    if (!found[0] && !found[1]) {
        throw InputError(path_, "", "this file " + problem);
    }
    const auto commits = [&](int copy) { return found[copy] ? found[copy]->state.generation : 0; };
    const int last = found[0] && commits(0) >= commits(1) ? 0 : 1;
    refuse_another_layout(*found[last]);
    state_ = std::move(found[last]->state);
    const int other = 1 - last;
    if (!found[other] || commits(other) != state_.generation) {
        write_header(other, encode_header(layout_, state_));
        sync();
    }
}

void StoreFile::refuse_another_layout(const FoundHeader& found) const
{
    const std::string differs = difference(found, layout_);
    if (!differs.empty()) {
        throw InputError(path_, "", "this tensor store is of another layout: " + differs);
    }
    if (size_of(file_.get()) != layout_.file_bytes()) {
        throw InputError(path_, "",
                         "this tensor store is damaged: found " +
                             std::to_string(size_of(file_.get())) +
                             " bytes; allowed: " + std::to_string(layout_.file_bytes()));
    }
}

void StoreFile::open_direct()
{
    if (layout_.block_bytes() % page_bytes != 0) {
        why_not_direct_ = "blocks of " + std::to_string(layout_.block_bytes()) +
                          " bytes are no whole pages of " + std::to_string(page_bytes);
        return;
    }
    direct_.reset(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT));
    AlignedBytes page(page_bytes);
    if (!direct_.is_open() || pread(direct_.get(), page.data(), page.size(), 0) < 0) {
        why_not_direct_ =
            std::string("the file system refuses direct I/O: ") + std::strerror(errno);
        direct_.reset();
    }
}

void StoreFile::write_header(int copy, const std::string& bytes)
{
    const int error =
        write_all(file_.get(), bytes.data(), bytes.size(), layout_.header_offset(copy));
    if (error != 0) {
        refuse_write(error, bytes.size(), "header " + std::to_string(copy));
    }
}

void StoreFile::sync()
{
    if (fdatasync(file_.get()) != 0) {
        refuse_write(errno, layout_.file_bytes(), "");
    }
}

/// The blocks are on the disk before the first header names them, the first header before the
/// second one is touched, and the second before the next commit's first sync returns.
void StoreFile::commit(const CommittedState& state)
{
    const std::string bytes = encode_header(layout_, state);
    sync();
    write_header(0, bytes);
    sync();
    write_header(1, bytes);
    state_ = state;
}

void StoreFile::refuse_write(int error, std::size_t bytes, const std::string& place) const
{
    refuse_room(path_, place, file_.get(), error, bytes);
}

} // namespace alxsim::offload
