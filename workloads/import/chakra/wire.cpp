// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/chakra/wire.h"

#include "base/input_error.h"

namespace alxsim::traces {

void WireReader::refuse(std::size_t at, const std::string& problem) const
{
    throw InputError(file_, "byte " + std::to_string(at), problem);
}

std::uint64_t WireReader::varint()
{
    const std::size_t begin = offset();
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (at_end()) {
            refuse(begin, "the file or message ends within a number; allowed: whole messages");
        }
        const auto byte = static_cast<unsigned char>(bytes_[place_++]);
        value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7f) << shift : 0;
        if (byte < 0x80) {
            return value;
        }
    }
    refuse(begin, "found a number of more than ten bytes; allowed: protobuf's varints");
}

std::string_view WireReader::counted()
{
    const std::size_t begin = offset();
    const std::uint64_t length = varint();
    if (length > bytes_.size() - place_) {
        refuse(begin, "found a length of " + std::to_string(length) + " bytes, of which " +
                          std::to_string(bytes_.size() - place_) +
                          " are there: the file is cut, or no Chakra trace");
    }
    const std::string_view found = bytes_.substr(place_, length);
    place_ += length;
    return found;
}

std::uint64_t WireReader::fixed(int bytes)
{
    if (bytes_.size() - place_ < static_cast<std::size_t>(bytes)) {
        refuse(offset(), "the file or message ends within a number; allowed: whole messages");
    }
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[place_++]))
                 << (8 * i);
    }
    return value;
}

WireField WireReader::field()
{
    WireField field;
    field.at = offset();
    const std::uint64_t key = varint();
    field.number = key >> 3;
    field.type = static_cast<int>(key & 7);
    switch (field.type) {
    case 0:
        field.value = varint();
        break;
    case 1:
        field.value = fixed(8);
        break;
    case 2:
        field.bytes = counted();
        break;
    case 5:
        field.value = fixed(4);
        break;
    default:
        refuse(field.at, "found wire type " + std::to_string(field.type) +
                             "; allowed: 0, 1, 2 and 5, protobuf's");
    }
    if (field.number == 0) {
        refuse(field.at, "found field 0; allowed: 1 or more");
    }
    return field;
}

} // namespace alxsim::traces
