// SPDX-License-Identifier: Apache-2.0
#include "spmd/checkpoint.h"

#include "base/file_output.h"
#include "base/input_error.h"
#include "base/inputs/input_files.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace alxsim::spmd {
namespace {

constexpr std::string_view magic = "ALXSIM checkpoint 1\n";
constexpr std::size_t piece = 1 << 20;

std::uint64_t checksum(std::uint64_t sum, const char* data, std::size_t size)
{
    return crc32_z(sum, reinterpret_cast<const Bytef*>(data), size);
}

/// Writes parts, each behind its length, and sums them up.
class PartsWriter {
public:
    explicit PartsWriter(std::ostream& file) : file_(file) {}

    void part(const char* data, std::size_t size)
    {
        number(size);
        write(data, size);
    }
    void number(std::uint64_t number)
    {
        write(reinterpret_cast<const char*>(&number), sizeof number);
    }
    void write(const char* data, std::size_t size)
    {
        file_.write(data, static_cast<std::streamsize>(size));
        sum_ = checksum(sum_, data, size);
    }
    std::uint64_t sum() const { return sum_; }

private:
    std::ostream& file_;
    std::uint64_t sum_ = crc32_z(0, nullptr, 0);
};

/// Takes a checkpoint apart.
class CheckpointFile {
public:
    explicit CheckpointFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

    bool exists() const { return file_.is_open(); }

    /// Holds its sum against its content, then stands behind the magic words.
    void check()
    {
        file_.seekg(0, std::ios::end);
        const auto size = static_cast<std::uint64_t>(file_.tellg());
        file_.seekg(0);
        std::string head(magic.size(), '\0');
        if (size < head.size() + sizeof(std::uint64_t) ||
            !file_.read(head.data(), static_cast<std::streamsize>(head.size())) || head != magic) {
            throw InputError(path_, "", "is damaged: it is no checkpoint of this program");
        }
        end_ = size - sizeof(std::uint64_t);
        std::uint64_t sum = checksum(crc32_z(0, nullptr, 0), head.data(), head.size());
        std::vector<char> bytes(piece);
        for (std::uint64_t left = end_ - head.size(); left > 0;) {
            const std::size_t count = std::min<std::uint64_t>(left, bytes.size());
            read(bytes.data(), count);
            sum = checksum(sum, bytes.data(), count);
            left -= count;
        }
        if (raw_number() != sum) {
            throw InputError(path_, "", "this checkpoint is damaged: its checksum is wrong");
        }
        file_.seekg(static_cast<std::streamoff>(head.size()));
    }

    std::string part()
    {
        std::string bytes(part_size(), '\0');
        read(bytes.data(), bytes.size());
        return bytes;
    }

    /// The next parts, which must have these sizes.
    void numbers(const std::vector<MemoryPart>& parts)
    {
        const std::streamoff begin = file_.tellg();
        for (const MemoryPart& part : parts) {
            if (part_size() != part.size) {
                refuse("holds arrays of another size");
            }
            file_.seekg(static_cast<std::streamoff>(part.size), std::ios::cur);
        }
        file_.seekg(begin);
        for (const MemoryPart& part : parts) {
            part_size();
            read(part.bytes, part.size);
        }
    }

private:
    [[noreturn]] void refuse(const std::string& problem)
    {
        throw InputError(path_, "byte " + std::to_string(file_.tellg()),
                         "this checkpoint is damaged: it " + problem);
    }
    void read(char* bytes, std::size_t size)
    {
        if (!file_.read(bytes, static_cast<std::streamsize>(size))) {
            file_.clear();
            refuse("ends too early");
        }
    }
    std::uint64_t raw_number()
    {
        std::uint64_t number = 0;
        read(reinterpret_cast<char*>(&number), sizeof number);
        return number;
    }
    std::size_t part_size()
    {
        const std::uint64_t size = raw_number();
        const auto at = static_cast<std::uint64_t>(file_.tellg());
        if (at > end_ || size > end_ - at) {
            refuse("ends too early");
        }
        return size;
    }

    const std::string& path_;
    std::ifstream file_;
    std::uint64_t end_ = 0; ///< of the parts
};

/// Refuses one of the same job, but for what its files held.
void refuse_changed_input(const std::string& path, const Json& found, const Json& key)
{
    Json alike = found;
    if (!key.contains("inputs") || !found.contains("inputs")) {
        return;
    }
    alike["inputs"] = key.at("inputs");
    if (alike == key) {
        const auto changed = changed_input(value_of_json<InputFiles>(found.at("inputs")),
                                           value_of_json<InputFiles>(key.at("inputs")));
        throw InputError(path, "",
                         "this checkpoint is of other data: " +
                             (changed ? in_words(*changed) : "a file more is read now"));
    }
}

} // namespace

void write_checkpoint(const std::string& path, const Json& key, const Json& state,
                      const std::vector<MemoryPart>& numbers)
{
    write_file_atomically(path, [&](std::ostream& file) {
        PartsWriter parts(file);
        parts.write(magic.data(), magic.size());
        const std::string key_text = key.dump();
        parts.part(key_text.data(), key_text.size());
        const std::vector<std::uint8_t> counts = Json::to_cbor(state); // mostly small numbers
        parts.part(reinterpret_cast<const char*>(counts.data()), counts.size());
        for (const MemoryPart& part : numbers) {
            parts.part(part.bytes, part.size);
        }
        parts.number(parts.sum());
    });
}

std::optional<Json> read_checkpoint(const std::string& path, const Json& key,
                                    const std::vector<MemoryPart>& numbers)
{
    CheckpointFile file(path);
    if (!file.exists()) {
        return std::nullopt;
    }
    file.check();
    const Json found = parse_written_json(file.part());
    if (found != key) {
        refuse_changed_input(path, found, key);
        return std::nullopt;
    }
    Json state = Json::from_cbor(file.part());
    file.numbers(numbers);
    return state;
}

} // namespace alxsim::spmd
