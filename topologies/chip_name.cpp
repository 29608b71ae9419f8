// SPDX-License-Identifier: Apache-2.0
#include "topologies/chip_name.h"

#include "base/input_error.h"
#include "base/json_document.h"
#include "topologies/preset.h"
#include "topologies/resources.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace alxsim::topologies {
namespace {

/// A preset and the names that it goes by.
struct Called {
    std::string preset;
    std::vector<std::string> names; ///< as people write them, the usual one first
    int cores_per_chip = 1;
    bool counts_chips = false;
};

bool begins_with(const std::string& text, const std::string& beginning)
{
    return text.compare(0, beginning.size(), beginning) == 0;
}

/// Without what makes no difference: "TPU v6 lite" is "v6lite", "tpu_7x" is "7x".
std::string plain(const std::string& name)
{
    std::string letters;
    for (const char letter : name) {
        if (letter >= 'A' && letter <= 'Z') {
            letters += static_cast<char>(letter - 'A' + 'a');
        } else if (letter != ' ' && letter != '_' && letter != '-') {
            letters += letter;
        }
    }
    return begins_with(letters, "tpu") ? letters.substr(3) : letters;
}

/// The first digit of a chip's name, '5' of "v5e"; 0 of "trillium". Chips of another generation are
/// never meant.
char generation_of(const std::string& name)
{
    const std::size_t place = name.find_first_of("0123456789");
    return place == std::string::npos ? '\0' : name[place];
}

/// Reads all presets, but no more of them than their names and how many cores a chip has.
std::vector<Called> read_names()
{
    std::vector<Called> all;
    for (const std::string& preset : Preset::names()) {
        const std::string file = "presets/" + preset + ".json";
        const Json document = parse_json(resources().get(file), file);
        const Json& names = document.at("names");
        Called called;
        called.preset = preset;
        called.names = names.at("also").get<std::vector<std::string>>();
        called.names.push_back(preset);
        called.cores_per_chip =
            document.at("values").at("tensorcores_per_chip").at("value").get<int>();
        called.counts_chips = names.at("size_counts") == "chips";
        all.push_back(std::move(called));
    }
    return all;
}

const std::vector<Called>& all_names()
{
    static const std::vector<Called> names = read_names();
    return names;
}

/// Null for a name that no preset has, and for one whose size is yet to come ("v5e-").
const Called* called(const std::string& name)
{
    if (!name.empty() && name.back() == '-') {
        return nullptr;
    }
    const std::string wanted = plain(name);
    for (const Called& one : all_names()) {
        if (std::any_of(one.names.begin(), one.names.end(),
                        [&](const std::string& known) { return plain(known) == wanted; })) {
            return &one;
        }
    }
    return nullptr;
}

/// The numbers of "16" or "4x4x8"; empty for anything else, and for what no slice has.
std::vector<std::int64_t> numbers_of(const std::string& size)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t begin = 0; begin <= size.size();) {
        const std::size_t end = std::min(size.find('x', begin), size.size());
        const std::string part = size.substr(begin, end - begin);
        if (part.empty() || part.size() > 6 || part.front() == '0' ||
            part.find_first_not_of("0123456789") != std::string::npos) {
            return {};
        }
        numbers.push_back(std::stoll(part));
        begin = end + 1;
    }
    return numbers.size() <= 3 ? numbers : std::vector<std::int64_t>{};
}

ChipName sized(const Called& chip, const std::string& name, const std::string& size)
{
    const std::vector<std::int64_t> numbers = numbers_of(size);
    const bool is_shape = numbers.size() > 1;
    double cores = is_shape || chip.counts_chips ? chip.cores_per_chip : 1;
    for (const std::int64_t number : numbers) {
        cores *= static_cast<double>(number);
    }
    if (numbers.empty() || cores > std::numeric_limits<int>::max()) {
        const std::string& usual = chip.names.front();
        throw InputError("chip '" + name + "': found the size '" + size + "'; allowed after '" +
                         usual + "-': a number of " +
                         (chip.counts_chips ? "chips" : "TensorCores") + ", as in " + usual +
                         "-16, or chips per axis with an x between them");
    }
    return {chip.preset, static_cast<int>(cores),
            is_shape ? std::optional<std::string>(size) : std::nullopt};
}

} // namespace

std::optional<ChipName> chip_named(const std::string& name)
{
    if (is_preset_path(name)) {
        return std::nullopt;
    }
    const std::vector<std::string> presets = Preset::names();
    if (std::find(presets.begin(), presets.end(), name) != presets.end()) {
        return ChipName{name, std::nullopt, std::nullopt};
    }
    if (const Called* const chip = called(name)) {
        return ChipName{chip->preset, std::nullopt, std::nullopt};
    }
    const std::size_t end = name.find_last_of("-:");
    const Called* const chip = end == std::string::npos ? nullptr : called(name.substr(0, end));
    return chip == nullptr ? std::nullopt
                           : std::optional<ChipName>(sized(*chip, name, name.substr(end + 1)));
}

std::string preset_named(const std::string& name)
{
    const std::optional<ChipName> chip = chip_named(name);
    return chip ? chip->preset : name;
}

std::string chips_meant_by(const std::string& name)
{
    const std::string without_size = plain(name.substr(0, name.find_last_of("-:")));
    const std::string wanted = without_size.empty() ? plain(name) : without_size;
    std::vector<std::string> generation; // names that go on after it: of "v5", v5e and v5p
    std::vector<std::string> candidates;
    for (const Called& one : all_names()) {
        const auto longer =
            std::find_if(one.names.begin(), one.names.end(), [&](const std::string& known) {
                return wanted.size() > 1 && begins_with(plain(known), wanted);
            });
        if (longer != one.names.end()) {
            generation.push_back(*longer);
        }
        candidates.insert(candidates.end(), one.names.begin(), one.names.end());
    }
    if (!generation.empty()) {
        return "; did you mean " + join(generation, " or ") + "?";
    }
    const bool preset = begins_with(name, "tpu_");
    std::vector<std::string> near = preset ? Preset::names() : candidates;
    near.erase(std::remove_if(near.begin(), near.end(),
                              [&](const std::string& one) {
                                  return generation_of(one) != generation_of(wanted);
                              }),
               near.end());
    return did_you_mean(preset ? name : wanted, near);
}

} // namespace alxsim::topologies
