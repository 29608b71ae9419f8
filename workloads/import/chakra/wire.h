// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alxsim::traces {

/// A field of a protobuf message as it stands in the bytes.
struct WireField {
    std::uint64_t number = 0;
    int type = 0;            ///< 0 varint, 1 eight bytes, 2 counted bytes, 5 four bytes
    std::uint64_t value = 0; ///< of 0, 1 and 5
    std::string_view bytes;  ///< of 2
    std::size_t at = 0;      ///< where it begins in the file
};

/// Goes through the fields of a protobuf message, or through the messages of a file, each behind
/// its length (protobuf's wire format: protobuf.dev/programming-guides/encoding). Throws InputError
/// naming the file and the byte for what is cut or is no such thing.
class WireReader {
public:
    /// `offset`: where `bytes` begin in `file`.
    WireReader(std::string_view bytes, std::size_t offset, const std::string& file)
        : bytes_(bytes),
          offset_(offset),
          file_(file)
    {
    }

    bool at_end() const { return place_ == bytes_.size(); }
    std::size_t offset() const { return offset_ + place_; } ///< in the file
    std::uint64_t varint();
    std::string_view counted(); ///< what stands behind a length
    WireField field();

    [[noreturn]] void refuse(std::size_t at, const std::string& problem) const;

private:
    std::uint64_t fixed(int bytes);

    std::string_view bytes_;
    std::size_t offset_;
    std::size_t place_ = 0;
    const std::string& file_;
};

} // namespace alxsim::traces
