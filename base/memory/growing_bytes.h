// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstddef>

namespace alxsim {

/// Whether so many bytes in one GrowingBytes are too much for memory: more than an eighth of
/// host_memory_limit().
bool go_into_a_file(Bytes bytes);

/// Bytes that grow at their end: in memory up to a limit; beyond it in a file of the temporary
/// folder (TMPDIR) that has no name and goes with its owner. That is mapped, so the system keeps in
/// memory what it has room for, and reads the rest when it is asked for. Eight zeros stand behind
/// the last byte, for who reads whole words.
class GrowingBytes {
public:
    GrowingBytes() = default;
    /// `most`: that stay in memory; 0: as go_into_a_file() says.
    explicit GrowingBytes(Bytes most) : most_(most) {}
    GrowingBytes(const GrowingBytes& other);
    GrowingBytes(GrowingBytes&& other) noexcept;
    GrowingBytes& operator=(GrowingBytes other) noexcept;
    ~GrowingBytes();

    const unsigned char* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool in_file() const { return file_ >= 0; }

    /// Throws std::bad_alloc, and InputError where the temporary folder has no room.
    void append(const unsigned char* bytes, std::size_t count);

private:
    void grow(std::size_t room);
    void grow_in_memory(std::size_t room);
    void grow_in_file(std::size_t room);
    bool is_too_much(std::size_t room) const;
    void swap(GrowingBytes& other) noexcept;

    Bytes most_{0};
    unsigned char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
    int file_ = -1;
};

} // namespace alxsim
