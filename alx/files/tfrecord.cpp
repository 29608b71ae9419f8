// SPDX-License-Identifier: Apache-2.0
#include "alx/files/tfrecord.h"

#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace alxsim::alx {
namespace {

constexpr std::uint64_t longest_record = std::uint64_t{1} << 31;
constexpr std::size_t piece = 1 << 20;

std::array<std::uint32_t, 256> crc_table()
{
    constexpr std::uint32_t castagnoli = 0x82f63b78u; // reflected
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) ? castagnoli : 0);
        }
        table[byte] = crc;
    }
    return table;
}

std::uint64_t little_endian(const unsigned char* bytes, int count)
{
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;) {
        value = (value << 8) | bytes[i];
    }
    return value;
}

/// Wire types of protocol buffers (protobuf.dev/programming-guides/encoding).
enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct Field {
    std::uint64_t number = 0;
    Wire wire = Wire::varint;
    std::uint64_t value = 0; ///< of a varint or fixed field
    std::string_view bytes;  ///< of a length-delimited field
};

/// The fields of one message.
class Message {
public:
    Message(std::string_view bytes, const TfrecordReader& reader) : rest_(bytes), reader_(reader) {}

    bool next(Field& field)
    {
        if (rest_.empty()) {
            return false;
        }
        const std::uint64_t key = varint();
        field.number = key >> 3;
        field.bytes = {};
        field.wire = static_cast<Wire>(key & 7);
        switch (field.wire) {
        case Wire::varint:
            field.value = varint();
            return true;
        case Wire::bytes:
            field.bytes = cut(varint());
            return true;
        case Wire::fixed32:
        case Wire::fixed64: {
            const std::string_view fixed = cut(field.wire == Wire::fixed32 ? 4 : 8);
            field.value = little_endian(reinterpret_cast<const unsigned char*>(fixed.data()),
                                        static_cast<int>(fixed.size()));
            return true;
        }
        }
        refuse();
    }
    std::uint64_t varint()
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        refuse();
    }
    std::string_view cut(std::uint64_t size)
    {
        if (size > rest_.size()) {
            refuse();
        }
        const std::string_view bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return bytes;
    }
    bool empty() const { return rest_.empty(); }

private:
    [[noreturn]] void refuse() const
    {
        throw InputError(reader_.path(), reader_.place(),
                         "is no protocol buffer; allowed is a serialized tf.train.Example");
    }

    std::string_view rest_;
    const TfrecordReader& reader_;
};

/// Features of an Example, by name: each still a serialized Feature.
using Features = std::map<std::string, std::string_view, std::less<>>;

Features features_of(const std::string& record, const TfrecordReader& reader)
{
    Features features;
    Field example;
    Field entry;
    Field part;
    for (Message whole(record, reader); whole.next(example);) {
        if (example.number != 1 || example.wire != Wire::bytes) {
            continue;
        }
        for (Message entries(example.bytes, reader); entries.next(entry);) {
            std::string name;
            std::string_view feature;
            for (Message pair(entry.bytes, reader); pair.next(part);) {
                (part.number == 1) ? void(name = std::string(part.bytes))
                                   : void(feature = part.bytes);
            }
            features[name] = feature;
        }
    }
    return features;
}

/// Reads the numbers of a list message.
class NumberList {
public:
    NumberList(const TfrecordReader& reader, std::string name)
        : reader_(reader),
          name_(std::move(name))
    {
    }

    std::vector<std::int64_t> read(std::string_view feature)
    {
        Field list;
        for (Message kinds(feature, reader_); kinds.next(list);) {
            if (list.number == 3) {
                append_int64s(list.bytes);
            } else if (list.number == 2) {
                append_floats(list.bytes);
            } else {
                throw InputError(reader_.path(), reader_.place(),
                                 "the feature " + name_ +
                                     " is a bytes_list, allowed are int64_list and float_list");
            }
        }
        return std::move(numbers_);
    }

private:
    void append_int64s(std::string_view list)
    {
        Field field;
        for (Message message(list, reader_); message.next(field);) {
            if (field.wire == Wire::bytes) {
                for (Message packed(field.bytes, reader_); !packed.empty();) {
                    numbers_.push_back(static_cast<std::int64_t>(packed.varint()));
                }
            } else {
                numbers_.push_back(static_cast<std::int64_t>(field.value));
            }
        }
    }
    void append_floats(std::string_view list)
    {
        Field field;
        for (Message message(list, reader_); message.next(field);) {
            if (field.wire == Wire::bytes) {
                for (Message packed(field.bytes, reader_); !packed.empty();) {
                    append_float(little_endian(
                        reinterpret_cast<const unsigned char*>(packed.cut(4).data()), 4));
                }
            } else {
                append_float(field.value);
            }
        }
    }
    void append_float(std::uint64_t bits)
    {
        const auto low = static_cast<std::uint32_t>(bits);
        float value = 0;
        std::memcpy(&value, &low, sizeof value);
        // Beyond 2^24 a float skips whole numbers, so the id could be another's.
        if (!(value >= 0 && value <= 0x1.0p24F && value == std::floor(value))) {
            throw InputError(reader_.path(), reader_.place(),
                             "found " + std::to_string(value) + " in the float_list " + name_ +
                                 ", allowed are whole numbers from 0 to 16777216");
        }
        numbers_.push_back(static_cast<std::int64_t>(value));
    }

    const TfrecordReader& reader_;
    std::string name_;
    std::vector<std::int64_t> numbers_;
};

std::string names_of(const Features& features)
{
    std::vector<std::string> names;
    for (const auto& feature : features) {
        names.push_back(shown(feature.first));
    }
    return names.empty() ? "none" : join(names);
}

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
    static const std::array<std::uint32_t, 256> table = crc_table();
    std::uint32_t crc = ~0u;
    for (const char c : bytes) {
        crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
    }
    return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes)
{
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

TfrecordReader::TfrecordReader(const std::string& path) : source_(path, [this] { return place(); })
{
}

void TfrecordReader::refuse(const std::string& problem) const
{
    throw InputError(source_.path(), place() + ", byte " + std::to_string(begin_), problem);
}

bool TfrecordReader::next(std::string& record)
{
    ++number_;
    begin_ = source_.position();
    std::array<unsigned char, 12> head{};
    const std::size_t read = source_.read(head.data(), head.size());
    if (read == 0) {
        return false;
    }
    const std::string_view length_bytes(reinterpret_cast<const char*>(head.data()), 8);
    if (read < head.size()) {
        refuse("the file ends in the middle of a record");
    }
    const std::uint64_t length = little_endian(head.data(), 8);
    if (little_endian(head.data() + 8, 4) != masked_crc32c(length_bytes)) {
        refuse("the checksum of the length is wrong: the file is damaged, or no TFRecord file");
    }
    if (length > longest_record) {
        refuse("found a record of " + std::to_string(length) + " bytes, allowed are at most " +
               std::to_string(longest_record));
    }
    read_data(record, static_cast<std::size_t>(length) + 4);
    const std::uint64_t stored =
        little_endian(reinterpret_cast<const unsigned char*>(record.data()) + length, 4);
    record.resize(static_cast<std::size_t>(length));
    if (stored != masked_crc32c(record)) {
        refuse("the checksum of the data is wrong: the file is damaged");
    }
    return true;
}

/// In pieces: a damaged length must not ask for memory that no data will fill.
void TfrecordReader::read_data(std::string& data, std::size_t size)
{
    data.clear();
    while (data.size() < size) {
        const std::size_t before = data.size();
        const std::size_t wanted = std::min(size - before, piece);
        data.resize(before + wanted);
        if (source_.read(&data[before], wanted) < wanted) {
            refuse("the file ends in the middle of a record");
        }
    }
}

WebgraphExample parse_webgraph_example(const std::string& record, const TfrecordReader& reader)
{
    const Features features = features_of(record, reader);
    const auto list = [&](const std::string& name) {
        const auto found = features.find(name);
        return found == features.end() ? std::vector<std::int64_t>()
                                       : NumberList(reader, name).read(found->second);
    };
    const std::vector<std::int64_t> row = list("row_tag");
    if (row.size() != 1) {
        throw InputError(reader.path(), reader.place(),
                         "found " + std::to_string(row.size()) +
                             " values of row_tag (features: " + names_of(features) +
                             "), allowed is one, beside the lists col_tag and gt_tag");
    }
    return {row.front(), list("col_tag"), list("gt_tag")};
}

std::vector<std::string> tfrecord_files(const std::string& path)
{
    if (!std::filesystem::is_directory(path)) {
        return {path};
    }
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
        if (entry.is_regular_file() && entry.path().filename().string().front() != '.') {
            files.push_back(entry.path().string());
        }
    }
    if (files.empty()) {
        throw InputError(path, "", "holds no files; allowed is a folder of TFRecord files");
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace alxsim::alx
