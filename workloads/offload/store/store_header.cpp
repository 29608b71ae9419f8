// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/store_header.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <zlib.h>

namespace alxsim::offload {
namespace {

constexpr std::string_view magic_words = "ALXSIM tensor store\n";
constexpr std::uint32_t version = 1;
constexpr std::size_t number_bytes = sizeof(std::uint64_t);

class HeaderWriter {
public:
    void text(std::string_view text) { bytes_.append(text); }
    template <class Number>
    void number(Number number)
    {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    std::size_t size() const { return bytes_.size(); }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Takes no more than there is, whatever the bytes say.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view bytes) : left_(bytes) {}

    std::string_view text(std::size_t size)
    {
        if (size > left_.size()) {
            throw NoHeader("is damaged: its header ends too early");
        }
        const std::string_view text = left_.substr(0, size);
        left_.remove_prefix(size);
        return text;
    }
    template <class Number>
    Number number()
    {
        Number number;
        std::memcpy(&number, text(sizeof number).data(), sizeof number);
        return number;
    }

private:
    std::string_view left_;
};

std::size_t blocks_of(std::uint64_t bytes, std::uint64_t block_bytes)
{
    return bytes / block_bytes + (bytes % block_bytes == 0 ? 0 : 1);
}

StoredTensor read_tensor(HeaderReader& reader, CommittedState& state)
{
    StoredTensor tensor;
    const auto length = reader.number<std::uint64_t>();
    tensor.name = reader.text(length);
    tensor.bytes = reader.number<std::uint64_t>();
    state.slots.push_back(reader.number<std::uint64_t>() == 0 ? 0 : 1);
    return tensor;
}

std::vector<std::uint32_t> read_checksums(HeaderReader& reader, std::size_t count)
{
    std::vector<std::uint32_t> checksums;
    for (std::size_t i = 0; i < count; ++i) {
        checksums.push_back(reader.number<std::uint32_t>());
    }
    return checksums;
}

} // namespace

std::uint32_t checksum_of(const char* bytes, std::size_t size)
{
    return static_cast<std::uint32_t>(
        crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes), size));
}

CommittedState zeros(const StoreLayout& layout)
{
    CommittedState state;
    state.slots.assign(layout.count(), 0);
    const std::string zeros(std::min(layout.block_bytes(), layout.largest_tensor()), '\0');
    for (int tensor = 0; tensor < layout.count(); ++tensor) {
        const std::size_t blocks = layout.blocks(tensor);
        const std::uint32_t whole = checksum_of(zeros.data(), layout.block_size(tensor, 0));
        std::vector<std::uint32_t> checksums(blocks, whole);
        checksums.back() = checksum_of(zeros.data(), layout.block_size(tensor, blocks - 1));
        state.checksums.push_back(std::move(checksums));
    }
    return state;
}

std::size_t header_prefix_size()
{
    return magic_words.size() + sizeof version + number_bytes;
}

std::size_t header_size(const StoreLayout& layout)
{
    std::size_t size = header_prefix_size() + 4 * number_bytes;
    for (int tensor = 0; tensor < layout.count(); ++tensor) {
        size += 3 * number_bytes + layout.tensor(tensor).name.size() +
                layout.blocks(tensor) * sizeof(std::uint32_t);
    }
    return size + sizeof(std::uint32_t);
}

std::string encode_header(const StoreLayout& layout, const CommittedState& state)
{
    HeaderWriter writer;
    writer.text(magic_words);
    writer.number(version);
    writer.number<std::uint64_t>(layout.header_bytes());
    writer.number<std::uint64_t>(layout.block_bytes());
    writer.number<std::uint64_t>(layout.count());
    writer.number(state.generation);
    writer.number(state.step);
    for (int i = 0; i < layout.count(); ++i) {
        const StoredTensor& tensor = layout.tensor(i);
        writer.number<std::uint64_t>(tensor.name.size());
        writer.text(tensor.name);
        writer.number<std::uint64_t>(tensor.bytes);
        writer.number<std::uint64_t>(state.slots[i]);
    }
    for (const std::vector<std::uint32_t>& checksums : state.checksums) {
        for (const std::uint32_t checksum : checksums) {
            writer.number(checksum);
        }
    }
    writer.number(checksum_of(writer.bytes().data(), writer.size()));
    return writer.bytes();
}

std::size_t length_in_prefix(const std::string& prefix)
{
    HeaderReader reader(prefix);
    if (prefix.size() < header_prefix_size() || reader.text(magic_words.size()) != magic_words) {
        throw NoHeader("is no tensor store of this program");
    }
    const auto found = reader.number<std::uint32_t>();
    if (found != version) {
        throw NoHeader("is a tensor store of version " + std::to_string(found) +
                       "; allowed: " + std::to_string(version));
    }
    return reader.number<std::uint64_t>();
}

FoundHeader decode_header(const std::string& bytes)
{
    if (length_in_prefix(bytes.substr(0, header_prefix_size())) != bytes.size() ||
        bytes.size() < header_prefix_size() + sizeof(std::uint32_t)) {
        throw NoHeader("is damaged: its header has another length");
    }
    const std::size_t summed = bytes.size() - sizeof(std::uint32_t);
    std::uint32_t expected = 0;
    std::memcpy(&expected, bytes.data() + summed, sizeof expected);
    if (expected != checksum_of(bytes.data(), summed)) {
        throw NoHeader("is damaged: the checksum of its header is wrong");
    }
    HeaderReader reader(std::string_view(bytes).substr(header_prefix_size()));
    FoundHeader found;
    found.block_bytes = reader.number<std::uint64_t>();
    const auto count = reader.number<std::uint64_t>();
    found.state.generation = reader.number<std::uint64_t>();
    found.state.step = reader.number<std::int64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
        found.tensors.push_back(read_tensor(reader, found.state));
    }
    if (found.block_bytes == 0) {
        throw NoHeader("is damaged: its blocks have no bytes");
    }
    for (const StoredTensor& tensor : found.tensors) {
        found.state.checksums.push_back(
            read_checksums(reader, blocks_of(tensor.bytes, found.block_bytes)));
    }
    return found;
}

std::string difference(const FoundHeader& found, const StoreLayout& layout)
{
    const auto of = [](std::uint64_t number, std::uint64_t wanted, const std::string& what) {
        return "found " + std::to_string(number) + what + "; allowed: " + std::to_string(wanted);
    };
    if (found.block_bytes != layout.block_bytes()) {
        return of(found.block_bytes, layout.block_bytes(), " bytes a block");
    }
    if (found.tensors.size() != layout.tensors().size()) {
        return of(found.tensors.size(), layout.tensors().size(), " tensors");
    }
    for (int i = 0; i < layout.count(); ++i) {
        const StoredTensor& there = found.tensors[i];
        const StoredTensor& wanted = layout.tensor(i);
        if (there.name != wanted.name) {
            return "found '" + there.name + "' as the name of tensor " + std::to_string(i) +
                   "; allowed: '" + wanted.name + "'";
        }
        if (there.bytes != wanted.bytes) {
            return of(there.bytes, wanted.bytes, " bytes of tensor '" + wanted.name + "'");
        }
    }
    return "";
}

} // namespace alxsim::offload
