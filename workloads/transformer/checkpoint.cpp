// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/checkpoint.h"

#include "base/file_output.h"
#include "base/input_error.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <zlib.h>

namespace alxsim::transformer {
namespace {

unsigned long crc_of(const std::vector<std::vector<double>>& state)
{
    unsigned long crc = crc32(0, nullptr, 0);
    for (const std::vector<double>& array : state) {
        crc = crc32_z(crc, reinterpret_cast<const unsigned char*>(array.data()),
                      array.size() * sizeof(double));
    }
    return crc;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what)
{
    throw InputError(path, "", "found " + what + "; allowed: a checkpoint as it was written");
}

/// The numbers that follow the header.
std::vector<std::vector<double>> read_state(std::ifstream& file, const std::string& path,
                                            const std::vector<std::size_t>& sizes)
{
    std::size_t bytes = 0;
    for (const std::size_t size : sizes) {
        bytes += size * sizeof(double);
    }
    const auto begin = static_cast<std::size_t>(file.tellg());
    if (std::filesystem::file_size(path) != begin + bytes) {
        refuse(path, "a file of another length than its header says");
    }
    std::vector<std::vector<double>> state;
    for (const std::size_t size : sizes) {
        std::vector<double>& array = state.emplace_back(size);
        file.read(reinterpret_cast<char*>(array.data()),
                  static_cast<std::streamsize>(size * sizeof(double)));
    }
    return state;
}

} // namespace

void write_checkpoint(const std::string& path, const Json& key, const Checkpoint& checkpoint)
{
    std::vector<std::size_t> sizes;
    for (const std::vector<double>& array : checkpoint.state) {
        sizes.push_back(array.size());
    }
    const Json header{{"key", key},
                      {"losses", checkpoint.losses},
                      {"sizes", sizes},
                      {"crc", crc_of(checkpoint.state)}};
    write_file_atomically(path, [&](std::ostream& out) {
        out << header.dump() << '\n';
        for (const std::vector<double>& array : checkpoint.state) {
            out.write(reinterpret_cast<const char*>(array.data()),
                      static_cast<std::streamsize>(array.size() * sizeof(double)));
        }
    });
}

std::optional<Checkpoint> read_checkpoint(const std::string& path, const Json& key)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return std::nullopt;
    }
    std::string line;
    std::getline(file, line);
    const Json header = parse_json(line, path);
    if (!header.is_object() || !header.contains("key") || !header.contains("losses") ||
        !header.contains("sizes") || !header.contains("crc")) {
        refuse(path, "another header");
    }
    if (header.at("key") != key) {
        return std::nullopt;
    }
    Checkpoint checkpoint;
    try {
        checkpoint.losses = header.at("losses").get<std::vector<double>>();
        checkpoint.state =
            read_state(file, path, header.at("sizes").get<std::vector<std::size_t>>());
    } catch (const Json::exception&) {
        refuse(path, "another header");
    }
    if (!file || header.at("crc") != crc_of(checkpoint.state)) {
        refuse(path, "numbers that do not fit their checksum");
    }
    return checkpoint;
}

} // namespace alxsim::transformer
