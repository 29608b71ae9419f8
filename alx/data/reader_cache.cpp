// SPDX-License-Identifier: Apache-2.0
#include "alx/data/cache_file.h"
#include "alx/data/matrix_builder.h"
#include "alx/data/readers.h"
#include "alx/files/byte_source.h"
#include "base/input_error.h"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace alxsim::alx {
namespace {

constexpr std::string_view magic = "ALXCACHE";
constexpr std::uint64_t version = 1;
constexpr std::size_t piece = 1 << 18;

void put_fixed(std::string& bytes, std::uint64_t value, int count)
{
    for (int i = 0; i < count; ++i) {
        bytes.push_back(static_cast<char>(value >> (8 * i)));
    }
}

void put_varint(std::string& bytes, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        bytes.push_back(static_cast<char>(value | 0x80));
    }
    bytes.push_back(static_cast<char>(value));
}

class CacheFile {
public:
    explicit CacheFile(const DatasetFile& file) : file_(file), source_(file.path) {}

    MatrixSize read_head()
    {
        for (const char c : magic) {
            if (byte() != static_cast<unsigned char>(c)) {
                refuse("is no cache of alxsim; allowed are files that begin with 'ALXCACHE'");
            }
        }
        const std::uint64_t found = fixed(4);
        if (found != version) {
            refuse("found version " + std::to_string(found) + ", allowed is " +
                   std::to_string(version) + ": convert the data anew");
        }
        size_.rows = static_cast<std::int64_t>(fixed(8));
        size_.columns = static_cast<std::int64_t>(fixed(8));
        size_.links = static_cast<std::int64_t>(fixed(8));
        if (size_.rows < 0 || size_.rows > largest_id + 1 || size_.columns < 0 ||
            size_.columns > largest_id + 1 || size_.links < 0) {
            refuse("found impossible sizes: the file is damaged");
        }
        // Each takes a byte at least.
        if (std::max(size_.rows, size_.links) > source_.most_content()) {
            refuse("found " + std::to_string(size_.rows) + " rows and " +
                   std::to_string(size_.links) +
                   " links in a file that is too small for them: it is truncated");
        }
        check_sizes(file_, size_.rows, size_.columns);
        return size_;
    }

    /// After the head.
    void read_rows(RowSink& sink)
    {
        std::int64_t links = 0;
        for (std::int64_t i = 0; i < size_.rows; ++i) {
            read_row();
            links += static_cast<std::int64_t>(row_.size());
            sink.next(row_);
        }
        if (links != size_.links) {
            refuse("holds " + std::to_string(links) + " links, its header says " +
                   std::to_string(size_.links));
        }
        const std::uint32_t sum = checksum();
        if (fixed(4) != sum) {
            refuse("the checksum is wrong: the file is damaged");
        }
    }

private:
    [[noreturn]] void refuse(const std::string& problem) const
    {
        throw InputError(
            file_.path,
            "byte " + std::to_string(source_.position() - static_cast<std::int64_t>(end_ - next_)),
            problem);
    }

    unsigned char byte()
    {
        if (next_ == end_) {
            sum_ = checksum();
            summed_ = next_ = 0;
            end_ = source_.read(buffer_.data(), buffer_.size());
            if (end_ == 0) {
                refuse("the file ends too early: it is truncated");
            }
        }
        return buffer_[next_++];
    }

    /// CRC-32 of all bytes so far.
    std::uint32_t checksum()
    {
        sum_ = static_cast<std::uint32_t>(
            crc32(sum_, buffer_.data() + summed_, static_cast<uInt>(next_ - summed_)));
        summed_ = next_;
        return sum_;
    }

    std::uint64_t fixed(int count)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < count; ++i) {
            value |= static_cast<std::uint64_t>(byte()) << (8 * i);
        }
        return value;
    }

    std::int64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 56; shift += 7) {
            const unsigned char next = byte();
            value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
            if (next < 0x80) {
                return static_cast<std::int64_t>(value);
            }
        }
        refuse("found a number that is too long: the file is damaged");
    }

    void read_row()
    {
        const std::int64_t length = varint();
        std::int64_t column = -1;
        row_.clear();
        for (std::int64_t i = 0; i < length; ++i) {
            column += varint() + 1;
            if (column >= size_.columns) {
                refuse("found column " + std::to_string(column) + " of " +
                       std::to_string(size_.columns) + ": the file is damaged");
            }
            row_.push_back(static_cast<std::int32_t>(column));
        }
    }

    const DatasetFile& file_;
    ByteSource source_;
    std::vector<unsigned char> buffer_ = std::vector<unsigned char>(piece);
    std::size_t next_ = 0;
    std::size_t end_ = 0;
    std::size_t summed_ = 0;
    std::uint32_t sum_ = 0;
    MatrixSize size_;
    std::vector<std::int32_t> row_;
};

class CacheReader final : public DatasetReader {
public:
    void read(const DatasetFile& file, RowSink& sink) const override
    {
        CacheFile cache(file);
        const MatrixSize size = cache.read_head();
        sink.set_size(size.rows, size.columns);
        cache.read_rows(sink);
    }
    std::unique_ptr<MatrixBuilder> builder(const DatasetFile& file) const override
    {
        return std::make_unique<OrderedBuilder>(file, unit());
    }
    std::optional<MatrixSize> told_size(const DatasetFile& file) const override
    {
        return CacheFile(file).read_head();
    }
};

} // namespace

std::string cache_head(std::int64_t rows, std::int64_t columns, std::int64_t links)
{
    std::string bytes(magic);
    put_fixed(bytes, version, 4);
    for (const std::int64_t size : {rows, columns, links}) {
        put_fixed(bytes, static_cast<std::uint64_t>(size), 8);
    }
    return bytes;
}

void append_cache_row(std::string& bytes, const std::vector<std::int32_t>& ids)
{
    put_varint(bytes, ids.size());
    std::int32_t previous = -1;
    for (const std::int32_t column : ids) {
        put_varint(bytes, static_cast<std::uint64_t>(column - previous - 1));
        previous = column;
    }
}

std::string cache_end(std::uint32_t sum)
{
    std::string bytes;
    put_fixed(bytes, sum, 4);
    return bytes;
}

std::unique_ptr<const DatasetReader> cache_reader()
{
    return std::make_unique<CacheReader>();
}

} // namespace alxsim::alx
