// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Our own compact form of a matrix, about 1 to 2 bytes per link, little-endian:
///   8 bytes "ALXCACHE"; u32 version, 1; i64 rows, columns, links;
///   for each row, as LEB128 varints: its length, its first column, then column - previous - 1;
///   u32 CRC-32 (as zlib's) of all before.
/// Its three parts:
std::string cache_head(std::int64_t rows, std::int64_t columns, std::int64_t links);
void append_cache_row(std::string& bytes, const std::vector<std::int32_t>& ids);
std::string cache_end(std::uint32_t sum);

} // namespace alxsim::alx
