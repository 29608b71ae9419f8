// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/codecs/codecs.h"
#include "base/work/long_work.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::alx {

/// The bytes of a file, streamed; of a compressed one (codecs/), what it holds.
class ByteSource {
public:
    /// `place` says where reading stands, for the message about a damaged file; default: the byte.
    explicit ByteSource(const std::string& path, std::function<std::string()> place = {});

    /// Reads `bytes` bytes, fewer only at the end of the file; how many. Throws InputError for a
    /// file that cannot be read, whose compressed form is truncated or damaged, or that holds more
    /// than 64 MiB in less than a 256th of the space: no real data does, and what readers keep
    /// shall be bounded by the file's size.
    std::size_t read(void* into, std::size_t bytes);
    /// Bytes read so far.
    std::int64_t position() const { return position_; }
    /// Bytes of the file that they were made of, fewer where it is compressed.
    std::int64_t file_position() const
    {
        return file_position_ - static_cast<std::int64_t>(input_.size() - taken_);
    }
    /// A bound on the content, from the size of the file: what claims more is damaged. Without
    /// bound for what is no regular file.
    std::int64_t most_content() const;
    const std::string& path() const { return path_; }

private:
    std::size_t read_plain(char* into, std::size_t bytes);
    std::size_t read_packed(char* into, std::size_t bytes);
    bool begin_member();
    bool fill();
    std::string place() const;
    [[noreturn]] void refuse(const std::string& cause) const;
    void refuse_bomb();

    std::string path_;
    std::function<std::string()> place_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    const Codec* codec_ = nullptr; ///< null: a plain file
    std::unique_ptr<Decoder> decoder_;
    std::vector<unsigned char> input_; ///< read of the file, not taken yet
    std::size_t taken_ = 0;            ///< of input_
    bool in_member_ = false; ///< a compressed file is one member or several, one behind the other
    std::int64_t file_position_ = 0;
    std::int64_t position_ = 0;
    std::int64_t next_check_; ///< position from which on the ratio is looked at again
    LongWork work_;
};

} // namespace alxsim::alx
