// SPDX-License-Identifier: Apache-2.0
#include "alx/data/byte_source.h"

#include "base/input_error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr std::int64_t first_check = 1 << 26;
constexpr std::int64_t largest_ratio = 256;
constexpr std::int64_t deflate_ratio = 1032; ///< the largest there can be (zlib.net/zlib_tech.html)

} // namespace

ByteSource::ByteSource(const std::string& path, std::function<std::string()> place)
    : path_(path),
      place_(std::move(place)),
      file_(gzopen(path.c_str(), "rb")),
      next_check_(first_check)
{
    if (!file_) {
        throw InputError(path, "", std::string("cannot be opened: ") + std::strerror(errno));
    }
    gzbuffer(file_.get(), 1 << 18);
}

std::size_t ByteSource::read(void* into, std::size_t bytes)
{
    std::size_t done = 0;
    while (done < bytes) {
        const auto wanted = static_cast<unsigned>(std::min(bytes - done, piece_bytes));
        const int got = gzread(file_.get(), static_cast<char*>(into) + done, wanted);
        position_ += std::max(got, 0);
        int code = Z_OK;
        const char* message = gzerror(file_.get(), &code);
        if (got < 0 || code == Z_BUF_ERROR) {
            refuse(code, message);
        }
        refuse_bomb();
        done += static_cast<std::size_t>(got);
        if (static_cast<unsigned>(got) < wanted) {
            break;
        }
    }
    return done;
}

std::int64_t ByteSource::most_content() const
{
    std::error_code no_file;
    const std::uintmax_t size = std::filesystem::file_size(path_, no_file);
    const std::int64_t ratio = gzdirect(file_.get()) ? 1 : deflate_ratio;
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    return no_file ? largest : static_cast<std::int64_t>(size) * ratio;
}

void ByteSource::refuse_bomb()
{
    if (position_ < next_check_) {
        return;
    }
    next_check_ = position_ + static_cast<std::int64_t>(piece_bytes);
    const std::int64_t packed = gzoffset(file_.get());
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

void ByteSource::refuse(int code, const char* message) const
{
    const std::string cause = code == Z_ERRNO ? std::strerror(errno) : message;
    throw InputError(path_, place(),
                     "the file is truncated or damaged (" + cause + ") after " +
                         std::to_string(position_) + " bytes of content");
}

LineReader::LineReader(const std::string& path) : source_(path, [this] { return end_place(); }) {}

bool LineReader::next(std::string_view& line)
{
    std::size_t found = text_.find('\n', begin_);
    for (std::size_t searched = text_.size() - begin_; found == std::string::npos && fill();) {
        found = text_.find('\n', searched);
        searched = text_.size();
    }
    if (found == std::string::npos && begin_ == text_.size()) {
        return false;
    }
    const std::size_t end = std::min(found, text_.size());
    line = std::string_view(text_).substr(begin_, end - begin_);
    begin_ = std::min(end + 1, text_.size());
    ++line_number_;
    return true;
}

/// Appends the next piece of the file. False at its end.
bool LineReader::fill()
{
    text_.erase(0, begin_);
    begin_ = 0;
    const std::size_t kept = text_.size();
    text_.resize(kept + piece_bytes);
    const std::size_t read = source_.read(&text_[kept], piece_bytes);
    text_.resize(kept + read);
    return read > 0;
}

std::string_view next_token(std::string_view& text, std::string_view separators)
{
    const auto parts = [&](char c) { return separators.find(c) != std::string_view::npos; };
    std::size_t begin = 0;
    while (begin < text.size() && parts(text[begin])) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && !parts(text[end])) {
        ++end;
    }
    const std::string_view token = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return token;
}

std::string shown(std::string_view token)
{
    constexpr std::size_t longest = 40;
    std::string text = "'";
    for (const char c : token.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        constexpr const char* digits = "0123456789abcdef";
        text += byte < 0x20 || byte == 0x7f
                    ? std::string("\\x") + digits[byte >> 4] + digits[byte & 15]
                    : std::string(1, c);
    }
    return text + (token.size() > longest ? "...'" : "'");
}

} // namespace alxsim::alx
