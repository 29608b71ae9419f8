// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/sidecar.h"

#include "base/input_error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace alxsim::hlo {
namespace {

/// Reads fields of one file.
class SidecarReader {
public:
    explicit SidecarReader(const std::string& file) : file_(file) {}

    [[noreturn]] void fail(const std::string& pointer, const Json* found,
                           const std::string& allowed) const
    {
        const std::string text = found == nullptr ? "nothing" : found->dump();
        constexpr std::size_t shown = 60;
        throw InputError(file_, pointer.empty() ? "top level" : pointer,
                         "found " + (text.size() > shown ? text.substr(0, shown) + "..." : text) +
                             "; allowed: " + allowed);
    }
    /// nullptr where it is not there or null.
    static const Json* field(const Json& object, const char* name)
    {
        const auto found = object.find(name);
        return found == object.end() || found->is_null() ? nullptr : &*found;
    }
    /// 3 and 3.0.
    std::int64_t whole(const Json* value, const std::string& pointer, std::int64_t least,
                       std::int64_t most) const
    {
        const std::string allowed =
            "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
        if (value == nullptr || !value->is_number()) {
            fail(pointer, value, allowed);
        }
        const double number = value->get<double>();
        if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
            number != std::floor(number)) {
            fail(pointer, value, allowed);
        }
        return value->is_number_integer() ? value->get<std::int64_t>()
                                          : static_cast<std::int64_t>(number);
    }
    const Json& object(const Json* value, const std::string& pointer) const
    {
        if (value == nullptr || !value->is_object()) {
            fail(pointer, value, "an object");
        }
        return *value;
    }
    const Json& list(const Json* value, const std::string& pointer, std::size_t least) const
    {
        if (value == nullptr || !value->is_array() || value->size() < least) {
            fail(pointer, value, "a list of " + std::to_string(least) + " or more");
        }
        return *value;
    }

    void read_topology(const Json& document, Sidecar& sidecar) const;
    void read_wrap(const Json& document, Sidecar& sidecar) const;
    void read_assignment(const Json& document, Sidecar& sidecar) const;
    void read_memory(const Json& document, Sidecar& sidecar) const;
    void read_cost(const Json& document, Sidecar& sidecar) const;

private:
    PlacedPartition placed(const Json& entry, const std::string& pointer,
                           const Sidecar& sidecar) const;

    const std::string& file_;
};

constexpr std::int64_t most_chips = 1 << 20;
constexpr std::int64_t most_bytes_of_memory = std::int64_t{1} << 53;

/// v5p:2x2x4
void SidecarReader::read_topology(const Json& document, Sidecar& sidecar) const
{
    const Json* const value = field(document, "topology");
    const std::string allowed = "a chip, ':' and chips per axis, as \"v5p:2x2x4\"";
    if (value == nullptr || !value->is_string()) {
        fail("/topology", value, allowed);
    }
    const auto& text = value->get_ref<const std::string&>();
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
        fail("/topology", value, allowed);
    }
    sidecar.chip = text.substr(0, colon);
    std::int64_t size = 0;
    std::int64_t all = 1;
    for (std::size_t i = colon + 1; i <= text.size(); ++i) {
        if (i < text.size() && text[i] >= '0' && text[i] <= '9' && size < most_chips) {
            size = 10 * size + (text[i] - '0');
        } else if ((i == text.size() || text[i] == 'x') && size > 0) {
            all = std::min(all * size, 2 * most_chips);
            sidecar.chips.push_back(size);
            size = 0;
        } else {
            fail("/topology", value, allowed);
        }
    }
    if (all > most_chips) {
        fail("/topology", value, "up to 2^20 chips");
    }
    const Json* const slices = field(document, "slices");
    sidecar.slices = slices == nullptr ? 1 : whole(slices, "/slices", 1, most_chips);
}

void SidecarReader::read_wrap(const Json& document, Sidecar& sidecar) const
{
    if (const Json* const wrap = field(document, "wrap")) {
        sidecar.wrap.emplace();
        for (const Json& one : list(wrap, "/wrap", 1)) {
            if (!one.is_boolean()) {
                fail("/wrap", wrap, "true or false for each axis");
            }
            sidecar.wrap->push_back(one.get<bool>());
        }
    }
    if (const Json* const megacore = field(document, "megacore")) {
        if (!megacore->is_boolean()) {
            fail("/megacore", megacore, "true or false");
        }
        sidecar.megacore = megacore->get<bool>();
    }
}

PlacedPartition SidecarReader::placed(const Json& entry, const std::string& pointer,
                                      const Sidecar& sidecar) const
{
    PlacedPartition one;
    one.id =
        whole(field(entry, "id"), pointer + "/id", 0, std::numeric_limits<std::int32_t>::max());
    const Json& coords = list(field(entry, "coords"), pointer + "/coords", sidecar.chips.size());
    for (std::size_t axis = 0; axis < coords.size(); ++axis) {
        const std::int64_t chips = axis < sidecar.chips.size() ? sidecar.chips[axis] : 1;
        one.coords.push_back(
            whole(&coords.at(axis), pointer + "/coords/" + std::to_string(axis), 0, chips - 1));
    }
    const Json* const core = field(entry, "core");
    one.core = core == nullptr ? 0 : whole(core, pointer + "/core", 0, 15);
    const Json* const slice = field(entry, "slice");
    one.slice = slice == nullptr ? 0 : whole(slice, pointer + "/slice", 0, sidecar.slices - 1);
    return one;
}

void SidecarReader::read_assignment(const Json& document, Sidecar& sidecar) const
{
    const Json& entries = list(field(document, "assignment"), "/assignment", 1);
    sidecar.assignment.resize(entries.size());
    std::vector<bool> known(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string pointer = "/assignment/" + std::to_string(i);
        const Json& entry = object(&entries.at(i), pointer);
        const Json* const number = field(entry, "partition");
        const auto partition = static_cast<std::size_t>(whole(
            number, pointer + "/partition", 0, static_cast<std::int64_t>(entries.size()) - 1));
        if (known[partition]) {
            fail(pointer + "/partition", number, "each partition once");
        }
        known[partition] = true;
        sidecar.assignment[partition] = placed(entry, pointer, sidecar);
    }
}

void SidecarReader::read_memory(const Json& document, Sidecar& sidecar) const
{
    const Json* const value = field(document, "memory");
    if (value == nullptr) {
        return;
    }
    const Json& figures = object(value, "/memory");
    const auto bytes = [&](const char* name) {
        const Json* const found = field(figures, name);
        return found == nullptr
                   ? 0
                   : whole(found, std::string("/memory/") + name, 0, most_bytes_of_memory);
    };
    XlaMemory memory;
    memory.arguments = bytes("argument_size_in_bytes");
    memory.outputs = bytes("output_size_in_bytes");
    memory.aliased = bytes("alias_size_in_bytes");
    memory.temporary = bytes("temp_size_in_bytes");
    memory.peak = bytes("peak_memory_in_bytes");
    memory.host_arguments = bytes("host_argument_size_in_bytes");
    memory.host_outputs = bytes("host_output_size_in_bytes");
    memory.host_temporary = bytes("host_temp_size_in_bytes");
    sidecar.memory = memory;
}

void SidecarReader::read_cost(const Json& document, Sidecar& sidecar) const
{
    const Json* const value = field(document, "cost");
    if (value == nullptr) {
        return;
    }
    const Json& figures = object(value, "/cost");
    const auto figure = [&](const char* name) -> std::optional<double> {
        const Json* const found = field(figures, name);
        if (found == nullptr) {
            return std::nullopt;
        }
        if (!found->is_number()) {
            fail(std::string("/cost/") + name, found, "a number");
        }
        return found->get<double>();
    };
    sidecar.cost = {figure("flops"), figure("transcendentals"), figure("bytes accessed")};
}

bool take_end(std::string& text, const std::string& end)
{
    if (text.size() <= end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0) {
        return false;
    }
    text.resize(text.size() - end.size());
    return true;
}

} // namespace

Sidecar sidecar_of(const Json& document, const std::string& file)
{
    const SidecarReader reader(file);
    reader.object(&document, "");
    Sidecar sidecar;
    reader.read_topology(document, sidecar);
    reader.read_wrap(document, sidecar);
    reader.read_assignment(document, sidecar);
    reader.read_memory(document, sidecar);
    reader.read_cost(document, sidecar);
    return sidecar;
}

Sidecar read_sidecar(const std::string& path)
{
    return sidecar_of(load_json(path), path);
}

std::string sidecar_path(const std::string& hlo_path)
{
    std::string name = hlo_path;
    take_end(name, ".gz");
    take_end(name, ".txt");
    take_end(name, ".hlo");
    return name + ".json";
}

std::optional<Sidecar> sidecar_beside(const std::string& hlo_path)
{
    const std::string path = sidecar_path(hlo_path);
    return std::filesystem::exists(path) ? std::optional<Sidecar>(read_sidecar(path))
                                         : std::nullopt;
}

void check_partitions(const Sidecar& sidecar, const std::string& file, std::int64_t partitions)
{
    const auto placed = static_cast<std::int64_t>(sidecar.assignment.size());
    // With several slices the text is that of one: transfers between them go through the host.
    if (placed != partitions && placed != partitions * sidecar.slices) {
        throw InputError(file, "/assignment",
                         "found " + std::to_string(placed) +
                             " partitions; allowed: " + std::to_string(partitions) +
                             ", the num_partitions of the program, or as many for each slice");
    }
}

} // namespace alxsim::hlo
