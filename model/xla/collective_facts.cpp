// SPDX-License-Identifier: Apache-2.0
#include "model/xla/collective_facts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace alxsim::model {
namespace {

constexpr std::int64_t lanes = 128;
constexpr std::int64_t sublanes = 8;
/// From here on the arrays of the records have rows of 1,024 numbers, before that of 128.
constexpr std::int64_t wide_bytes = 1 << 20;
constexpr std::int64_t wide_columns = 1024;

/// Bytes of a row of tiles.
std::int64_t row_bytes(std::int64_t bytes, std::int64_t element)
{
    return sublanes * (bytes < wide_bytes ? lanes : wide_columns) * element;
}

/// What a native reduce-scatter adds to its rows, in percent rounded up: see collective_rules.json.
std::int64_t padding_percent(std::int64_t bytes, std::int64_t element, std::int64_t devices,
                             std::int64_t colours, std::int64_t span_limit)
{
    const std::int64_t unit = devices * row_bytes(bytes, element);
    const std::int64_t longest = span_limit * devices / (devices + 4);
    const std::int64_t spans = ceil_divide(bytes, std::max(unit, longest / unit * unit));
    const std::int64_t at_once = spans * (bytes < wide_bytes && bytes > unit ? 2 : colours);
    const std::int64_t padded = ceil_divide(bytes, unit * at_once) * at_once * unit;
    return ceil_divide(100 * (padded - bytes), bytes);
}

bool is_within_slice(const NetworkAxis& axis)
{
    return is_torus(axis) && !axis.joins_slices && axis.length > 1;
}

/// XLA goes through the axes of a slice in this order, and round.
int place_in_order(const NetworkAxis& axis)
{
    constexpr std::array<int, 3> order{1, 0, 2}; // of x, y, z
    return axis.torus_axis >= 0 ? order[static_cast<std::size_t>(axis.torus_axis)]
                                : axis.torus_axis;
}

std::vector<int> spanned_axes(const CollectiveGroup& group)
{
    std::vector<int> axes;
    std::copy_if(group.used.begin(), group.used.end(), std::back_inserter(axes),
                 [&group](int axis) { return is_within_slice(group.axis(axis)); });
    std::stable_sort(axes.begin(), axes.end(), [&group](int a, int b) {
        return place_in_order(group.axis(a)) < place_in_order(group.axis(b));
    });
    const bool without_x = axes.size() == 2 && group.axis(axes.front()).torus_axis == 1 &&
                           group.axis(axes.back()).torus_axis == 2;
    if (without_x) {
        std::swap(axes.front(), axes.back());
    }
    return axes;
}

std::string group_name(const CollectiveGroup& group, const std::vector<int>& spanned)
{
    const bool slices = std::any_of(group.used.begin(), group.used.end(),
                                    [&group](int axis) { return group.axis(axis).joins_slices; });
    if (slices) {
        return "slices";
    }
    if (spanned.size() < 2) {
        return spanned.empty() ? "chip_cores" : "axis";
    }
    const auto all = static_cast<std::size_t>(
        std::count_if(group.axes.begin(), group.axes.end(), is_within_slice));
    return spanned.size() == all ? "all" : "axes";
}

/// Axes that have the most frequent length, of several such the one that comes first; 1 where all
/// differ.
std::pair<int, int> most_frequent(const std::vector<int>& lengths)
{
    int times = 0;
    int length = 1;
    for (const int one : lengths) {
        const auto count = static_cast<int>(std::count(lengths.begin(), lengths.end(), one));
        if (count > times) {
            times = count;
            length = one;
        }
    }
    return {std::max(times, 1), length};
}

} // namespace

CollectiveFact collective_fact(const std::string& name)
{
    static const std::map<std::string, CollectiveFact> names{
        {"axes", CollectiveFact::axes},
        {"cores", CollectiveFact::cores},
        {"whole_chips", CollectiveFact::whole_chips},
        {"devices", CollectiveFact::devices},
        {"equal_axes", CollectiveFact::equal_axes},
        {"alike", CollectiveFact::alike},
        {"doubled_axes", CollectiveFact::doubled_axes},
        {"leading_ring", CollectiveFact::leading_ring},
        {"longest_ring", CollectiveFact::longest_ring},
        {"closed", CollectiveFact::closed},
        {"slice_devices", CollectiveFact::slice_devices},
        {"several_slices", CollectiveFact::several_slices},
        {"bytes", CollectiveFact::bytes},
        {"shard_bytes", CollectiveFact::shard_bytes},
        {"shard_elements", CollectiveFact::shard_elements},
        {"element_bytes", CollectiveFact::element_bytes},
        {"whole_lanes", CollectiveFact::whole_lanes},
        {"whole_lanes_across", CollectiveFact::whole_lanes_across},
        {"whole_tiles", CollectiveFact::whole_tiles},
        {"padding_percent", CollectiveFact::padding_percent},
        {"padding_percent_of_two", CollectiveFact::padding_percent_of_two},
    };
    return names.at(name);
}

std::vector<int> alike_first(const std::vector<int>& axes, const std::vector<int>& lengths)
{
    const auto [times, length] = most_frequent(lengths);
    if (times == 1) {
        return axes;
    }
    std::vector<int> ordered;
    for (const bool alike : {true, false}) {
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if ((lengths[i] == length) == alike) {
                ordered.push_back(axes[i]);
            }
        }
    }
    return ordered;
}

namespace {

/// Those of the axes that the group spans, whatever their order.
void add_shape(const CollectiveGroup& group, CollectiveFacts& facts)
{
    const std::vector<int>& lengths = facts.lengths;
    const int cores = group.devices_on_a_chip();
    const int longest = lengths.empty() ? 1 : *std::max_element(lengths.begin(), lengths.end());
    const int shortest = lengths.empty() ? 1 : *std::min_element(lengths.begin(), lengths.end());
    const bool two_lengths = std::all_of(lengths.begin(), lengths.end(), [&](int length) {
        return length == longest || length == shortest;
    });
    facts.at(CollectiveFact::axes) = static_cast<std::int64_t>(lengths.size());
    facts.at(CollectiveFact::cores) = cores;
    facts.at(CollectiveFact::devices) =
        std::accumulate(lengths.begin(), lengths.end(), std::int64_t{cores}, std::multiplies<>());
    facts.at(CollectiveFact::equal_axes) = longest == shortest;
    facts.at(CollectiveFact::doubled_axes) = two_lengths && longest == 2 * shortest;
    facts.at(CollectiveFact::longest_ring) = longest * cores;
    facts.at(CollectiveFact::closed) =
        std::all_of(facts.spanned.begin(), facts.spanned.end(), [&group](int axis) {
            return group.axis(axis).wraps || group.axis(axis).length == 2;
        });
}

} // namespace

void set_sizes(std::int64_t bytes, std::int64_t element, std::int64_t slices, Bytes span_limit,
               CollectiveFacts& facts)
{
    const std::int64_t devices = facts.at(CollectiveFact::devices);
    const std::int64_t elements = bytes / element;
    facts.at(CollectiveFact::bytes) = bytes;
    facts.at(CollectiveFact::shard_bytes) = bytes / devices;
    facts.at(CollectiveFact::shard_elements) = elements / devices;
    facts.at(CollectiveFact::element_bytes) = element;
    facts.at(CollectiveFact::whole_lanes) = elements % (lanes * devices) == 0;
    facts.at(CollectiveFact::whole_lanes_across) = elements % (lanes * devices * slices) == 0;
    facts.at(CollectiveFact::whole_tiles) = bytes % (devices * row_bytes(bytes, element)) == 0;
    facts.at(CollectiveFact::padding_percent) =
        padding_percent(bytes, element, devices, 1, span_limit.count());
    facts.at(CollectiveFact::padding_percent_of_two) =
        padding_percent(bytes, element, devices, 2, span_limit.count());
}

void order_axes(const CollectiveGroup& group, CollectiveFacts& facts)
{
    facts.lengths.clear();
    std::transform(facts.spanned.begin(), facts.spanned.end(), std::back_inserter(facts.lengths),
                   [&group](int axis) { return group.axis(axis).length; });
    const auto [alike, frequent] = most_frequent(facts.lengths);
    facts.at(CollectiveFact::alike) = alike;
    facts.at(CollectiveFact::leading_ring) =
        (alike > 1 || facts.lengths.empty() ? frequent : facts.lengths.front()) *
        group.devices_on_a_chip();
}

CollectiveFacts facts_of(const Collective& collective, const CollectiveGroup& group,
                         const topologies::Machine& machine, Bytes span_limit)
{
    CollectiveFacts facts;
    const std::string& name = machine.preset.name();
    facts.chip = name.substr(name.find('_') + 1);
    facts.kind = collective.kind;
    facts.spanned = spanned_axes(group);
    order_axes(group, facts);
    facts.group = group_name(group, facts.spanned);
    const int slices = machine.slice.slices();
    add_shape(group, facts);
    set_sizes(collective.bytes.count(), size_of(collective.dtype).count(), slices, span_limit,
              facts);
    facts.at(CollectiveFact::whole_chips) =
        facts.at(CollectiveFact::cores) == machine.devices_per_chip;
    facts.at(CollectiveFact::slice_devices) = machine.devices / slices;
    facts.at(CollectiveFact::several_slices) = slices > 1;
    return facts;
}

} // namespace alxsim::model
