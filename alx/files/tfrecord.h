// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/byte_source.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::alx {

/// The records of a TFRecord file (tensorflow.org/tutorials/load_data/tfrecord): length (8 bytes,
/// little-endian), masked CRC-32C of the length, data, masked CRC-32C of the data.
class TfrecordReader {
public:
    explicit TfrecordReader(const std::string& path);

    /// False at the end of the file. Throws InputError for a damaged record.
    bool next(std::string& record);
    /// Returns the number of the record read last, from 1.
    std::int64_t record_number() const { return number_; }
    std::string place() const { return "record " + std::to_string(number_); }
    const std::string& path() const { return source_.path(); }

private:
    [[noreturn]] void refuse(const std::string& problem) const;
    void read_data(std::string& data, std::size_t size);

    ByteSource source_;
    std::int64_t number_ = 0;
    std::int64_t begin_ = 0; ///< byte at which the record begins
};

/// One example of the WebGraph release (tensorflow_datasets/structured/web_graph): a page, its
/// links, and of test pages the links to be found.
struct WebgraphExample {
    std::int64_t row = 0;                   ///< row_tag
    std::vector<std::int64_t> columns;      ///< col_tag
    std::vector<std::int64_t> ground_truth; ///< gt_tag; may be absent
};

/// Parses a serialized tf.train.Example. Lists may be int64_list, packed or not, or float_list of
/// whole numbers. Throws InputError.
WebgraphExample parse_webgraph_example(const std::string& record, const TfrecordReader& reader);

/// The path itself, or all files of a folder in the order of their names.
std::vector<std::string> tfrecord_files(const std::string& path);

/// CRC-32C (Castagnoli), as in RFC 3720.
std::uint32_t crc32c(std::string_view bytes);
/// TFRecord stores checksums rotated and shifted, lest checksums of checksums be trivial.
std::uint32_t masked_crc32c(std::string_view bytes);

} // namespace alxsim::alx
