// SPDX-License-Identifier: Apache-2.0
#include "alx/files/codecs/codecs.h"

#include <algorithm>
#include <filesystem>

namespace alxsim::alx {

const std::vector<Codec>& codecs()
{
    static const std::vector<Codec> all{gzip_codec(), bzip2_codec(), xz_codec(), zstd_codec()};
    return all;
}

const Codec* codec_of(std::string_view bytes)
{
    const auto found = std::find_if(codecs().begin(), codecs().end(),
                                    [&](const Codec& codec) { return codec.begins(bytes); });
    return found == codecs().end() ? nullptr : &*found;
}

std::string without_codec(const std::string& name)
{
    for (const Codec& codec : codecs()) {
        const std::size_t length = codec.ending.size();
        if (name.size() > length && name.compare(name.size() - length, length, codec.ending) == 0) {
            return name.substr(0, name.size() - length);
        }
    }
    return name;
}

std::string plain_or_compressed(const std::string& path)
{
    if (std::filesystem::exists(path)) {
        return path;
    }
    for (const Codec& codec : codecs()) {
        if (std::filesystem::exists(path + codec.ending)) {
            return path + codec.ending;
        }
    }
    return path;
}

} // namespace alxsim::alx
