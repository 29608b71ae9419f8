// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/device_groups.h"

#include "base/input_error.h"
#include "workloads/import/hlo/text/counting.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

constexpr std::int64_t most_devices = std::int64_t{1} << 31;

/// Messages of a cursor name places in the attribute; those here name it.
[[noreturn]] void refuse_groups(const std::string& file, const std::string& place,
                                const std::string& problem)
{
    throw InputError(file, place, problem);
}

std::int64_t id_at(TextCursor& cursor)
{
    const std::size_t begin = cursor.position();
    const std::int64_t id = cursor.number("a device's number");
    if (id >= most_devices) {
        cursor.fail_at(begin, "numbers of devices below 2^31");
    }
    return id;
}

/// [4,2], each at least 1, up to 2^31 together.
std::vector<std::int64_t> read_sizes(TextCursor& cursor)
{
    const std::size_t begin = cursor.position();
    std::vector<std::int64_t> sizes;
    std::int64_t all = 1;
    cursor.expect('[', "before sizes");
    do {
        sizes.push_back(cursor.number("a size"));
        all = product(all, sizes.back());
        if (sizes.back() < 1 || all > most_devices) {
            cursor.fail_at(begin, "sizes from 1 to 2^31 together");
        }
    } while (cursor.take(','));
    cursor.expect(']', "or ',' behind a size");
    return sizes;
}

/// [2,4]T(1,0), or without T.
Iota read_transposed(TextCursor& cursor)
{
    Iota iota;
    iota.dims = read_sizes(cursor);
    if (!cursor.take("T(")) {
        for (std::size_t i = 0; i < iota.dims.size(); ++i) {
            iota.order.push_back(i);
        }
        return iota;
    }
    const std::size_t begin = cursor.position();
    do {
        const auto dimension = static_cast<std::size_t>(cursor.number("a dimension's number"));
        if (dimension >= iota.dims.size() ||
            std::find(iota.order.begin(), iota.order.end(), dimension) != iota.order.end()) {
            cursor.fail_at(begin, "each dimension once, from 0");
        }
        iota.order.push_back(dimension);
    } while (cursor.take(','));
    cursor.expect(')', "behind a transposition");
    if (iota.order.size() != iota.dims.size()) {
        cursor.fail_at(begin, "each dimension once");
    }
    return iota;
}

/// 'axis_0'
std::string_view read_axis(TextCursor& cursor)
{
    cursor.expect('\'', "before an axis's name");
    const std::string_view name = cursor.name("an axis's name");
    cursor.expect('\'', "behind an axis's name");
    return name;
}

struct MeshAxis {
    std::string_view name;
    std::int64_t size = 1;
    bool named = false; ///< varied in a group
};

std::vector<MeshAxis> read_axes(TextCursor& cursor)
{
    std::vector<MeshAxis> axes;
    std::int64_t all = 1;
    cursor.expect('[', "behind mesh");
    while (!cursor.take(']')) {
        if (!axes.empty()) {
            cursor.expect(',', "or ']' behind an axis");
        }
        const std::size_t begin = cursor.position();
        const std::string_view name = read_axis(cursor);
        cursor.expect('=', "behind an axis's name");
        axes.push_back({name, cursor.number("an axis's size")});
        all = product(all, axes.back().size);
        if (axes.back().size < 1 || all > most_devices) {
            cursor.fail_at(begin, "sizes from 1 to 2^31 together");
        }
    }
    return axes;
}

using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< sizes and strides

/// {'a','c'}: sizes and strides of these axes, in this order, which are marked as named.
Parts read_varied(TextCursor& cursor, std::vector<MeshAxis>& axes,
                  const std::vector<std::int64_t>& strides)
{
    Parts varied;
    cursor.skip_spaces();
    cursor.expect('{', "before the axes that a group varies");
    while (!cursor.take('}')) {
        const std::size_t begin = cursor.position();
        const std::string_view name = read_axis(cursor);
        const auto axis = std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& one) {
            return one.name == name && !one.named;
        });
        if (axis == axes.end()) {
            cursor.fail_at(begin, "axes of the mesh, each once");
        }
        if (cursor.peek() == ':') {
            cursor.refuse(begin, "found a part of an axis; allowed: whole axes");
        }
        axis->named = true;
        varied.emplace_back(axis->size, strides[static_cast<std::size_t>(axis - axes.begin())]);
        if (cursor.peek() != '}') {
            cursor.expect(',', "or '}' behind an axis");
            cursor.skip_spaces();
        }
    }
    return varied;
}

/// Place of a number in mixed radix, the last part the fastest, as a sum over strides.
std::int64_t at_strides(const Parts& parts, std::int64_t number)
{
    std::int64_t place = 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        place += number % part->first * part->second;
        number /= part->first;
    }
    return place;
}

std::int64_t size_of(const Parts& parts)
{
    std::int64_t size = 1;
    for (const auto& part : parts) {
        size *= part.first;
    }
    return size;
}

bool begins(std::string_view text, std::string_view word)
{
    return text.substr(0, word.size()) == word;
}

} // namespace

std::int64_t Iota::size() const
{
    std::int64_t size = 1;
    for (const std::int64_t one : dims) {
        size *= one;
    }
    return size;
}

std::int64_t Iota::id(std::int64_t place) const
{
    std::int64_t id = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
        std::int64_t stride = 1;
        for (std::size_t d = order[i] + 1; d < dims.size(); ++d) {
            stride *= dims[d];
        }
        id += place % dims[order[i]] * stride;
        place /= dims[order[i]];
    }
    return id;
}

DeviceGroups::DeviceGroups(std::string_view text, std::int64_t all, const std::string& file,
                           const std::string& place)
    : file_(file),
      place_(place)
{
    if (text.empty() || text == "{}") {
        groups_ = 1;
        size_ = all;
        iota_ = {{all}, {0}};
        in_group_ = {{all, 1}};
    } else if (begins(text, "mesh")) {
        read_mesh(text);
    } else if (begins(text, "[")) {
        read_iota(text);
    } else {
        read_lists(text);
    }
}

void DeviceGroups::refuse(const std::string& problem) const
{
    refuse_groups(file_, place_, problem);
}

void DeviceGroups::read_lists(std::string_view text)
{
    TextCursor cursor(text, file_ + ": " + place_ + ", in replica_groups");
    cursor.expect('{', "before groups, or [..]<=[..] or mesh[..]");
    do {
        cursor.skip_spaces();
        cursor.expect('{', "before a group");
        lists_.emplace_back();
        cursor.skip_spaces();
        while (!cursor.take('}')) {
            if (!lists_.back().empty()) {
                cursor.expect(',', "or '}' in a group");
                cursor.skip_spaces();
            }
            lists_.back().push_back(id_at(cursor));
            cursor.skip_spaces();
        }
        cursor.skip_spaces();
    } while (cursor.take(','));
    cursor.expect('}', "behind the groups");
    cursor.end_line();
}

void DeviceGroups::read_iota(std::string_view text)
{
    TextCursor cursor(text, file_ + ": " + place_ + ", in replica_groups");
    const std::vector<std::int64_t> sizes = read_sizes(cursor);
    if (sizes.size() != 2) {
        refuse("found replica_groups=" + std::string(text) +
               "; allowed: two numbers, groups and their size, before '<='");
    }
    groups_ = sizes[0];
    size_ = sizes[1];
    if (!cursor.take("<=")) {
        cursor.fail("'<=' and dimensions");
    }
    iota_ = read_transposed(cursor);
    cursor.end_line();
    if (iota_.size() != groups_ * size_) {
        refuse("found replica_groups=" + std::string(text) + ", " +
               std::to_string(groups_ * size_) + " ids in groups and " +
               std::to_string(iota_.size()) + " behind '<='; allowed: as many");
    }
    in_group_ = {{size_, 1}};
    of_groups_ = {{groups_, size_}};
}

void DeviceGroups::read_mesh(std::string_view text)
{
    TextCursor cursor(text, file_ + ": " + place_ + ", in replica_groups");
    cursor.advance(4);
    std::vector<MeshAxis> axes = read_axes(cursor);
    std::int64_t all = 1;
    std::vector<std::int64_t> strides(axes.size());
    for (std::size_t i = axes.size(); i-- > 0; all *= axes[i].size) {
        strides[i] = all;
    }
    iota_ = {{all}, {0}};
    if (cursor.take(',')) {
        cursor.skip_spaces();
        if (!cursor.take("device_ids=(")) {
            cursor.fail("device_ids=([..]T(..))");
        }
        iota_ = read_transposed(cursor);
        cursor.expect(')', "behind device_ids");
    }
    if (iota_.size() != all) {
        refuse("found " + std::to_string(iota_.size()) + " device_ids for a mesh of " +
               std::to_string(all) + "; allowed: as many");
    }
    in_group_ = read_varied(cursor, axes, strides);
    cursor.end_line();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!axes[i].named) {
            of_groups_.emplace_back(axes[i].size, strides[i]);
        }
    }
    size_ = size_of(in_group_);
    groups_ = size_of(of_groups_);
}

std::int64_t DeviceGroups::groups() const
{
    return lists_.empty() ? groups_ : static_cast<std::int64_t>(lists_.size());
}

std::int64_t DeviceGroups::size(std::int64_t group) const
{
    return lists_.empty()
               ? size_
               : static_cast<std::int64_t>(lists_[static_cast<std::size_t>(group)].size());
}

std::int64_t DeviceGroups::id(std::int64_t group, std::int64_t member) const
{
    if (!lists_.empty()) {
        return lists_[static_cast<std::size_t>(group)][static_cast<std::size_t>(member)];
    }
    return iota_.id(at_strides(of_groups_, group) + at_strides(in_group_, member));
}

std::int64_t DeviceGroups::ids() const
{
    std::int64_t ids = 0;
    for (const auto& list : lists_) {
        ids += static_cast<std::int64_t>(list.size());
    }
    return lists_.empty() ? groups_ * size_ : ids;
}

std::int64_t DeviceGroups::largest_id() const
{
    std::int64_t largest = -1;
    for (const auto& list : lists_) {
        for (const std::int64_t one : list) {
            largest = std::max(largest, one);
        }
    }
    return lists_.empty() ? iota_.size() - 1 : largest;
}

std::vector<std::vector<std::int64_t>> DeviceGroups::expanded(std::int64_t most) const
{
    if (ids() > most) {
        refuse("found groups of " + std::to_string(ids()) + " devices; allowed: up to " +
               std::to_string(most));
    }
    std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(groups()));
    for (std::size_t group = 0; group < all.size(); ++group) {
        const auto number = static_cast<std::int64_t>(group);
        for (std::int64_t member = 0; member < size(number); ++member) {
            all[group].push_back(id(number, member));
        }
    }
    return all;
}

std::vector<std::pair<std::int64_t, std::int64_t>>
source_target_pairs(std::string_view text, const std::string& file, const std::string& place)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    TextCursor cursor(text, file + ": " + place + ", in source_target_pairs");
    cursor.expect('{', "before pairs");
    cursor.skip_spaces();
    while (!cursor.take('}')) {
        if (!pairs.empty()) {
            cursor.expect(',', "or '}' behind a pair");
            cursor.skip_spaces();
        }
        cursor.expect('{', "before a pair");
        const std::int64_t source = id_at(cursor);
        cursor.expect(',', "in a pair");
        cursor.skip_spaces();
        pairs.emplace_back(source, id_at(cursor));
        cursor.expect('}', "behind a pair");
        cursor.skip_spaces();
    }
    cursor.end_line();
    return pairs;
}

DeviceGroups groups_of(const Module& module, const Instruction& instruction)
{
    const std::string_view text = instruction.attribute("replica_groups");
    return {text, product(module.replica_count(), module.num_partitions()), module.file,
            module.place_of(text.empty() ? instruction.name : text)};
}

GroupMeaning meaning_of_groups(const Module& module, const Instruction& instruction,
                               const DeviceGroups& groups)
{
    const std::string_view listed = instruction.attribute("replica_groups");
    const bool channel = !instruction.attribute("channel_id").empty();
    if (listed.empty() || listed == "{}" ||
        (channel && instruction.attribute("use_global_device_ids") == "true") ||
        (channel && instruction.is("all-to-all"))) {
        return GroupMeaning::devices;
    }
    if (groups.largest_id() >= module.replica_count()) {
        return GroupMeaning::devices;
    }
    return channel ? GroupMeaning::all_partitions_of_replicas : GroupMeaning::replicas;
}

std::vector<std::vector<std::int64_t>> devices_of(const Module& module,
                                                  const Instruction& instruction, std::int64_t most)
{
    const DeviceGroups groups = groups_of(module, instruction);
    std::vector<std::vector<std::int64_t>> listed = groups.expanded(most);
    const GroupMeaning meaning = meaning_of_groups(module, instruction, groups);
    const std::int64_t partitions = module.num_partitions();
    if (meaning == GroupMeaning::devices) {
        return listed;
    }
    if (product(groups.ids(), partitions) > most) {
        module.refuse(instruction, "found groups of more than " + std::to_string(most) +
                                       " devices; allowed: up to those");
    }
    std::vector<std::vector<std::int64_t>> devices;
    for (const auto& group : listed) {
        if (meaning == GroupMeaning::all_partitions_of_replicas) {
            devices.emplace_back();
        }
        for (std::int64_t partition = 0; partition < partitions; ++partition) {
            if (meaning == GroupMeaning::replicas) {
                devices.emplace_back();
            }
            for (const std::int64_t replica : group) {
                devices.back().push_back(replica * partitions + partition);
            }
        }
    }
    return devices;
}

} // namespace alxsim::hlo
