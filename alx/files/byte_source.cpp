// SPDX-License-Identifier: Apache-2.0
#include "alx/files/byte_source.h"

#include "base/input_error.h"
#include "base/inputs/input_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr std::size_t input_bytes = 1 << 18;
constexpr std::int64_t first_check = 1 << 26;
constexpr std::int64_t largest_ratio = 256;

/// Returns the size of a regular file.
std::optional<std::int64_t> size_of(const std::string& path)
{
    std::error_code no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, no_file);
    return no_file ? std::nullopt : std::optional(static_cast<std::int64_t>(size));
}

} // namespace

ByteSource::ByteSource(const std::string& path, std::function<std::string()> place)
    : path_(path),
      place_(std::move(place)),
      file_(std::fopen(path.c_str(), "rb"), std::fclose),
      next_check_(first_check),
      work_("reading " + path, size_of(path).value_or(0))
{
    if (!file_) {
        throw InputError(path, "", std::string("cannot be opened: ") + std::strerror(errno));
    }
    note_input(path);
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    fill();
    codec_ = codec_of({reinterpret_cast<const char*>(input_.data()), input_.size()});
    if (codec_ != nullptr) {
        decoder_ = codec_->decoder();
    }
}

std::size_t ByteSource::read(void* into, std::size_t bytes)
{
    std::size_t done = 0;
    while (done < bytes) {
        char* const next = static_cast<char*>(into) + done;
        const std::size_t wanted = std::min(bytes - done, piece_bytes);
        const std::size_t got = decoder_ ? read_packed(next, wanted) : read_plain(next, wanted);
        position_ += static_cast<std::int64_t>(got);
        refuse_bomb();
        done += got;
        if (got == 0) {
            break;
        }
    }
    return done;
}

std::size_t ByteSource::read_plain(char* into, std::size_t bytes)
{
    if (taken_ == input_.size() && !fill()) {
        return 0;
    }
    const std::size_t got = std::min(bytes, input_.size() - taken_);
    std::memcpy(into, input_.data() + taken_, got);
    taken_ += got;
    return got;
}

/// Some bytes of content; none only at the end of the file.
std::size_t ByteSource::read_packed(char* into, std::size_t bytes)
{
    std::size_t made = 0;
    while (made == 0 && (in_member_ || begin_member())) {
        if (taken_ == input_.size() && !fill()) {
            refuse("unexpected end of file");
        }
        try {
            const Decoded piece =
                decoder_->decode(input_.data() + taken_, input_.size() - taken_, into, bytes);
            taken_ += piece.taken;
            made = piece.made;
            in_member_ = !piece.ended;
        } catch (const DamagedData& damage) {
            refuse(damage.what());
        }
    }
    return made;
}

/// Goes behind the zeros that may fill up a file on tape. False at the end of the file.
bool ByteSource::begin_member()
{
    while (taken_ < input_.size() || fill()) {
        if (input_[taken_] != 0) {
            decoder_->begin();
            in_member_ = true;
            return true;
        }
        ++taken_;
    }
    return false;
}

/// Reads the next piece of the file, of which all has been taken. False at its end.
bool ByteSource::fill()
{
    input_.resize(input_bytes);
    input_.resize(std::fread(input_.data(), 1, input_.size(), file_.get()));
    taken_ = 0;
    file_position_ += static_cast<std::int64_t>(input_.size());
    work_.add(static_cast<std::int64_t>(input_.size()));
    if (std::ferror(file_.get()) != 0) {
        refuse(std::strerror(errno));
    }
    return !input_.empty();
}

std::int64_t ByteSource::most_content() const
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t size = size_of(path_).value_or(largest);
    const auto times = [size](std::int64_t ratio) {
        return std::min(size, largest / ratio) * ratio;
    };
    return codec_ == nullptr ? size
                             : std::min(times(codec_->largest_ratio),
                                        std::max(first_check, times(largest_ratio)));
}

void ByteSource::refuse_bomb()
{
    if (position_ < next_check_) {
        return;
    }
    next_check_ = position_ + static_cast<std::int64_t>(piece_bytes);
    const std::int64_t packed = file_position_;
    if (position_ / largest_ratio > packed) {
        throw InputError(path_, place(),
                         "found " + std::to_string(position_) + " bytes of content in " +
                             std::to_string(packed) + " compressed ones, allowed are at most " +
                             std::to_string(largest_ratio) +
                             " times as many; decompress the file first if it is meant to be so");
    }
}

std::string ByteSource::place() const
{
    return place_ ? place_() : "after byte " + std::to_string(position_);
}

void ByteSource::refuse(const std::string& cause) const
{
    throw InputError(path_, place(),
                     "the file is truncated or damaged (" + cause + ") after " +
                         std::to_string(position_) + " bytes of content");
}

} // namespace alxsim::alx
