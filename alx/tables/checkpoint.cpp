// SPDX-License-Identifier: Apache-2.0
#include "alx/tables/checkpoint.h"

#include "base/input_error.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <zlib.h>

namespace alxsim::alx {
namespace {

constexpr const char* magic = "ALXSIM checkpoint 1\n";

void append_number(std::string& bytes, std::uint64_t number)
{
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_part(std::string& bytes, const std::string& part)
{
    append_number(bytes, part.size());
    bytes += part;
}

std::uint64_t checksum(const char* data, std::size_t size)
{
    return crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(data), size);
}

/// Takes a checkpoint apart.
class Parts {
public:
    Parts(const std::string& bytes, const std::string& path, std::size_t at)
        : bytes_(bytes),
          path_(path),
          at_(at)
    {
    }

    std::uint64_t number()
    {
        std::uint64_t number = 0;
        need(sizeof number);
        std::memcpy(&number, bytes_.data() + at_, sizeof number);
        at_ += sizeof number;
        return number;
    }

    std::string part()
    {
        const std::uint64_t size = number();
        need(size);
        std::string part = bytes_.substr(at_, size);
        at_ += size;
        return part;
    }

private:
    void need(std::uint64_t size) const
    {
        if (size > bytes_.size() - at_) {
            throw InputError(path_, "byte " + std::to_string(at_),
                             "this checkpoint is damaged: it ends too early; delete it to start "
                             "from the first epoch");
        }
    }

    const std::string& bytes_;
    const std::string& path_;
    std::size_t at_;
};

} // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint)
{
    std::string bytes = magic;
    append_part(bytes, checkpoint.key.dump());
    const std::vector<std::uint8_t> state = Json::to_cbor(checkpoint.state); // mostly small counts
    append_part(bytes, std::string(state.begin(), state.end()));
    append_part(bytes, checkpoint.rows);
    append_part(bytes, checkpoint.columns);
    append_number(bytes, checksum(bytes.data(), bytes.size()));
    write_file_atomically(path, bytes);
}

std::optional<Checkpoint> read_checkpoint(const std::string& path, const Json& key)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    std::ostringstream content;
    content << file.rdbuf();
    const std::string bytes = content.str();
    const std::size_t begin = std::strlen(magic);
    if (bytes.size() < begin + sizeof(std::uint64_t) || bytes.compare(0, begin, magic) != 0) {
        throw InputError(path, "", "is no checkpoint of this program; delete it to go on");
    }
    const std::size_t summed = bytes.size() - sizeof(std::uint64_t);
    if (Parts(bytes, path, summed).number() != checksum(bytes.data(), summed)) {
        throw InputError(path, "",
                         "this checkpoint is damaged: its checksum is wrong; delete it to start "
                         "from the first epoch");
    }
    Parts parts(bytes, path, begin);
    Checkpoint checkpoint;
    checkpoint.key = Json::parse(parts.part());
    if (checkpoint.key != key) {
        return std::nullopt;
    }
    checkpoint.state = Json::from_cbor(parts.part());
    checkpoint.rows = parts.part();
    checkpoint.columns = parts.part();
    return checkpoint;
}

} // namespace alxsim::alx
