// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/codecs/decoder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::alx {

/// One compressed form of a file.
struct Codec {
    std::string ending; ///< of names: ".gz"
    /// Whether a file that begins so is one.
    bool (*begins)(std::string_view bytes);
    /// Bytes of content for one of the file: more there cannot be.
    std::int64_t largest_ratio;
    std::unique_ptr<Decoder> (*decoder)();
};

// Each in its own file.
Codec gzip_codec();
Codec bzip2_codec();
Codec xz_codec();
Codec zstd_codec();

const std::vector<Codec>& codecs();
/// By content; null for a plain file.
const Codec* codec_of(std::string_view bytes);
/// A file's name less the ending of a codec, if it has one.
std::string without_codec(const std::string& name);
/// The file of this name, or else the one that has a codec's ending behind it; `path` if there is
/// none.
std::string plain_or_compressed(const std::string& path);

} // namespace alxsim::alx
