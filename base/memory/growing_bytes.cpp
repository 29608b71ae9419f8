// SPDX-License-Identifier: Apache-2.0
#include "base/memory/growing_bytes.h"

#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace alxsim {
namespace {

constexpr std::size_t behind = 8; ///< zeros
/// Below this nobody asks the system how much memory it has.
constexpr Bytes always_in_memory(16 << 20);

[[noreturn]] void refuse(const std::string& folder, std::size_t bytes, int error)
{
    throw InputError(folder, "",
                     "found no room for a file of " +
                         memory_in_words(Bytes(static_cast<std::int64_t>(bytes))) + " (" +
                         std::strerror(error) +
                         "), in which data goes that would take too much memory. Set TMPDIR to a "
                         "folder with room, or allow more memory (run --memory)");
}

std::string temporary_folder()
{
    std::error_code missing;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(missing);
    const char* const wanted = std::getenv("TMPDIR");
    return !missing || wanted == nullptr ? folder.string() : wanted;
}

/// A file that nobody else sees, in the temporary folder.
int open_unnamed(const std::string& folder)
{
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
        return file;
    }
    std::string name = folder + "/alxsim-XXXXXX"; // a file system without unnamed files
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) {
        ::unlink(name.c_str());
    }
    return named;
}

} // namespace

bool go_into_a_file(Bytes bytes)
{
    if (bytes <= always_in_memory) {
        return false;
    }
    static const Bytes most(host_memory_limit().count() / 8);
    return bytes > most;
}

GrowingBytes::GrowingBytes(const GrowingBytes& other) : GrowingBytes(other.most_)
{
    append(other.data_, other.size_);
}

GrowingBytes::GrowingBytes(GrowingBytes&& other) noexcept
{
    swap(other);
}

GrowingBytes& GrowingBytes::operator=(GrowingBytes other) noexcept
{
    swap(other);
    return *this;
}

GrowingBytes::~GrowingBytes()
{
    if (in_file()) {
        ::munmap(data_, room_);
        ::close(file_);
    } else {
        std::free(data_);
    }
}

void GrowingBytes::swap(GrowingBytes& other) noexcept
{
    std::swap(most_, other.most_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    std::swap(file_, other.file_);
}

void GrowingBytes::append(const unsigned char* bytes, std::size_t count)
{
    if (count == 0) {
        return;
    }
    if (size_ + count + behind > room_) {
        grow((size_ + count + behind) * 9 / 8);
    }
    std::copy_n(bytes, count, data_ + size_);
    size_ += count;
    std::fill_n(data_ + size_, behind, static_cast<unsigned char>(0));
}

bool GrowingBytes::is_too_much(std::size_t room) const
{
    const Bytes bytes(static_cast<std::int64_t>(room));
    return most_ > Bytes(0) ? bytes > most_ : go_into_a_file(bytes);
}

void GrowingBytes::grow(std::size_t room)
{
    if (in_file() || is_too_much(room)) {
        grow_in_file(room);
    } else {
        grow_in_memory(room);
    }
    room_ = room;
}

/// By realloc, which moves pages instead of copying bytes.
void GrowingBytes::grow_in_memory(std::size_t room)
{
    auto* const moved = static_cast<unsigned char*>(std::realloc(data_, room));
    if (moved == nullptr) {
        throw std::bad_alloc();
    }
    data_ = moved;
}

void GrowingBytes::grow_in_file(std::size_t room)
{
    const std::string folder = temporary_folder();
    const int file = in_file() ? file_ : open_unnamed(folder);
    if (file < 0) {
        refuse(folder, room, errno);
    }
    // Blocks are asked for now: a disk that is full later on would kill the process.
    const int failed = ::posix_fallocate(file, 0, static_cast<off_t>(room));
    void* const mapped = failed != 0 ? MAP_FAILED
                         : in_file()
                             ? ::mremap(data_, room_, room, MREMAP_MAYMOVE)
                             : ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        const int error = failed != 0 ? failed : errno;
        if (!in_file()) {
            ::close(file);
        }
        refuse(folder, room, error);
    }
    if (!in_file()) {
        std::copy_n(data_, size_, static_cast<unsigned char*>(mapped));
        std::free(data_);
    }
    data_ = static_cast<unsigned char*>(mapped);
    file_ = file;
}

} // namespace alxsim
