// SPDX-License-Identifier: Apache-2.0
#include "alx/files/bit_reader.h"

#include "base/input_error.h"

namespace alxsim::alx {
namespace {

constexpr unsigned longest_code = 56;

} // namespace

BitReader::BitReader(ByteSource& source) : source_(source), buffer_(1 << 16) {}

void BitReader::refuse(const char* problem) const
{
    throw InputError(source_.path(), "bit " + std::to_string(position_), problem);
}

/// As many whole bytes as the window has room for.
void BitReader::fill()
{
    while (available_ <= longest_code) {
        if (next_ == end_) {
            next_ = 0;
            end_ = source_.read(buffer_.data(), buffer_.size());
            if (end_ == 0) {
                return;
            }
        }
        window_ |= static_cast<std::uint64_t>(buffer_[next_++]) << (longest_code - available_);
        available_ += 8;
    }
}

std::uint64_t BitReader::bits(unsigned count)
{
    if (count == 0) {
        return 0;
    }
    if (count > longest_code) {
        refuse("found a code that is too long: the file is damaged, or of other compression flags");
    }
    if (available_ < count) {
        fill();
        if (available_ < count) {
            refuse("the file ends in the middle of a code");
        }
    }
    const std::uint64_t value = window_ >> (64 - count);
    window_ <<= count;
    available_ -= count;
    position_ += count;
    return value;
}

std::uint64_t BitReader::unary()
{
    std::uint64_t zeros = 0;
    while (window_ == 0) {
        zeros += available_;
        position_ += available_;
        available_ = 0;
        fill();
        if (available_ == 0) {
            refuse("the file ends in the middle of a code");
        }
    }
    const auto more = static_cast<unsigned>(__builtin_clzll(window_));
    bits(more + 1 > longest_code ? longest_code : more + 1);
    if (more + 1 > longest_code) {
        bits(more + 1 - longest_code);
    }
    return zeros + more;
}

std::uint64_t BitReader::gamma()
{
    const std::uint64_t length = unary();
    const std::uint64_t below = bits(length > longest_code ? 64 : static_cast<unsigned>(length));
    return ((std::uint64_t{1} << length) | below) - 1;
}

std::uint64_t BitReader::delta()
{
    const std::uint64_t length = gamma();
    const std::uint64_t below = bits(length > longest_code ? 64 : static_cast<unsigned>(length));
    return ((std::uint64_t{1} << length) | below) - 1;
}

std::uint64_t BitReader::zeta(unsigned k)
{
    const std::uint64_t steps = unary();
    if (steps > longest_code / k) {
        bits(64);
    }
    const auto low = static_cast<unsigned>(steps * k);
    const std::uint64_t left = std::uint64_t{1} << low;
    const std::uint64_t value = bits(low + k - 1);
    return value < left ? value + left - 1 : ((value << 1) | bits(1)) - 1;
}

std::uint64_t BitReader::nibble()
{
    std::uint64_t value = 0;
    for (unsigned length = 0; length <= longest_code; length += 3) {
        const std::uint64_t group = bits(4);
        value = (value << 3) | (group & 7);
        if (group & 8) {
            return value;
        }
    }
    return bits(64);
}

} // namespace alxsim::alx
