// SPDX-License-Identifier: Apache-2.0
// Which slice a job of so many cores runs on: the rules behind Slice::choose.
#include "base/input_error.h"
#include "topologies/listed_slice.h"
#include "topologies/slice.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace alxsim::topologies {
namespace {

using Lengths = std::vector<int>;

struct Choice {
    std::vector<Axis> axes;
    bool assumed = false;
};

Lengths lengths_of(const std::vector<Axis>& axes)
{
    Lengths lengths;
    for (const Axis& axis : axes) {
        lengths.push_back(axis.length);
    }
    return lengths;
}

std::vector<Axis> lines_of(const Lengths& lengths)
{
    std::vector<Axis> axes;
    for (const int length : lengths) {
        axes.push_back({length, false});
    }
    return axes;
}

/// Whether a slice consists of whole cubes, as optical switches join them.
bool has_whole_cubes(const Preset& preset, const Lengths& lengths)
{
    if (!preset.has("ici_cube_edge_chips")) {
        return false;
    }
    const int edge = std::max(1, static_cast<int>(preset.number("ici_cube_edge_chips")));
    return std::all_of(lengths.begin(), lengths.end(),
                       [edge](int length) { return length % edge == 0; });
}

/// The preset's rule for shapes that are not listed: the switches close every axis of a slice of
/// whole cubes; elsewhere an axis of one certain length may wrap. No rule: lines.
std::vector<Axis> wrapped_by_rule(const Preset& preset, const Lengths& lengths)
{
    const char* const key = "ici_wrap_axis_chips";
    const double wrapping = preset.has(key) ? preset.number(key) : 0;
    const bool cubes = has_whole_cubes(preset, lengths);
    std::vector<Axis> axes = lines_of(lengths);
    for (Axis& axis : axes) {
        axis.wraps = axis.length > 2 && (cubes || axis.length == wrapping);
    }
    return axes;
}

/// Whether a box fits into another, turned as it likes.
bool fits_inside(Lengths box, Lengths room)
{
    std::sort(box.begin(), box.end());
    std::sort(room.begin(), room.end());
    return box.size() == room.size() &&
           std::equal(box.begin(), box.end(), room.begin(), [](int a, int b) { return a <= b; });
}

/// All boxes of so many chips with sides that do not decrease, appended to `prefix`.
void list_boxes(int chips, std::size_t axes, const Lengths& prefix, std::vector<Lengths>& boxes)
{
    const int least = prefix.empty() ? 1 : prefix.back();
    Lengths box = prefix;
    box.push_back(chips);
    if (axes == 1) {
        if (chips >= least) {
            boxes.push_back(box);
        }
        return;
    }
    for (int side = least; side <= chips / side; ++side) {
        if (chips % side == 0) {
            box.back() = side;
            list_boxes(chips / side, axes - 1, box, boxes);
        }
    }
}

std::optional<Lengths> squarest_box(int chips, const Lengths& room)
{
    std::vector<Lengths> boxes;
    list_boxes(chips, room.size(), {}, boxes);
    std::optional<Lengths> best;
    int best_sum = 0;
    for (const Lengths& box : boxes) {
        if (!fits_inside(box, room)) {
            continue;
        }
        const int sum = std::accumulate(box.begin(), box.end(), 0);
        if (!best || sum < best_sum) {
            best = box;
            best_sum = sum;
        }
    }
    return best;
}

std::optional<Choice> default_choice(int chips, const std::vector<ListedSlice>& listed)
{
    for (const ListedSlice& slice : listed) {
        if (chips_of(slice.axes) == chips) {
            return Choice{slice.axes, false};
        }
    }
    for (const ListedSlice& slice : listed) {
        if (const std::optional<Lengths> box = squarest_box(chips, lengths_of(slice.axes))) {
            return Choice{lines_of(*box), true};
        }
    }
    return std::nullopt;
}

/// The core count next to `cores`, downwards or upwards, that default_choice can place; or "".
std::string nearest_count(int cores, int step, int per_chip, const std::vector<ListedSlice>& listed)
{
    const int largest = chips_of(listed.back().axes);
    int chips = std::min(cores / per_chip, largest) + (step > 0 ? 1 : 0);
    chips -= step < 0 && chips * per_chip == cores ? 1 : 0;
    for (; chips >= 1 && chips <= largest; chips += step) {
        if (default_choice(chips, listed)) {
            return std::to_string(chips * per_chip);
        }
    }
    return "";
}

std::string nearest_counts(int cores, int per_chip, const std::vector<ListedSlice>& listed)
{
    std::vector<std::string> counts;
    for (const int step : {-1, 1}) {
        const std::string count = nearest_count(cores, step, per_chip, listed);
        if (!count.empty()) {
            counts.push_back(count);
        }
    }
    return "; nearest that work: " + join(counts);
}

Lengths parse_shape(const std::string& shape, std::size_t axes)
{
    Lengths lengths;
    std::size_t begin = 0;
    while (begin <= shape.size()) {
        const std::size_t end = std::min(shape.find('x', begin), shape.size());
        const std::string part = shape.substr(begin, end - begin);
        const bool digits = !part.empty() && part.size() <= 6 &&
                            part.find_first_not_of("0123456789") == std::string::npos;
        lengths.push_back(digits ? std::stoi(part) : 0);
        begin = end + 1;
    }
    const bool positive =
        std::all_of(lengths.begin(), lengths.end(), [](int length) { return length > 0; });
    if (!positive || lengths.size() != axes) {
        throw InputError("slice '" + shape +
                         "' is not understood; allowed: " + std::to_string(axes) +
                         " numbers of chips, such as " + (axes == 3 ? "4x4x8" : "8x16"));
    }
    return lengths;
}

std::int64_t product_of(const Lengths& lengths)
{
    // Six digits on each of three axes fit into 64 bits.
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1},
                           [](std::int64_t product, int length) { return product * length; });
}

/// Whole cubes are joined by switches, so an axis of them may be longer than the pod's own side.
bool fits_pod(const Preset& preset, const Lengths& box, const Lengths& largest)
{
    Lengths pod = largest;
    if (preset.has("pod_shape")) {
        pod = preset.at("pod_shape").value.get<Lengths>();
    }
    double chips = static_cast<double>(std::max(product_of(pod), product_of(largest)));
    if (preset.has("pod_chips")) {
        chips = std::max(chips, preset.number("pod_chips"));
    }
    if (static_cast<double>(product_of(box)) > chips) {
        return false;
    }
    return has_whole_cubes(preset, box) || fits_inside(box, pod) || fits_inside(box, largest);
}

/// The listed slice turned into the order of axes that was asked for, if it is that slice.
std::optional<std::vector<Axis>> turned(const ListedSlice& slice, const Lengths& lengths)
{
    std::vector<Axis> rest = slice.axes;
    std::vector<Axis> axes;
    for (const int length : lengths) {
        const auto found = std::find_if(
            rest.begin(), rest.end(), [length](const Axis& axis) { return axis.length == length; });
        if (found == rest.end()) {
            return std::nullopt;
        }
        axes.push_back(*found);
        rest.erase(found);
    }
    return axes;
}

Choice requested_choice(const Preset& preset, const std::string& shape, int chips,
                        const std::vector<ListedSlice>& listed)
{
    const Lengths largest = lengths_of(listed.back().axes);
    const Lengths lengths = parse_shape(shape, largest.size());
    if (product_of(lengths) != chips) {
        throw InputError("slice " + shape + " has " + std::to_string(product_of(lengths)) +
                         " chips of " + preset.name() + ", but the cores asked for need " +
                         std::to_string(chips));
    }
    for (const ListedSlice& slice : listed) {
        if (const std::optional<std::vector<Axis>> axes = turned(slice, lengths)) {
            return {*axes, false};
        }
    }
    if (!fits_pod(preset, lengths, largest)) {
        throw InputError("slice " + shape + " does not fit into a pod of " + preset.name() +
                         " (largest listed slice: " + shape_of(listed.back().axes) + ")");
    }
    return {wrapped_by_rule(preset, lengths), true};
}

void apply_wrap(Choice& choice, const std::vector<bool>& wrap)
{
    if (wrap.size() != choice.axes.size()) {
        throw InputError("wrap has " + std::to_string(wrap.size()) + " entries; slice " +
                         shape_of(choice.axes) + " has " + std::to_string(choice.axes.size()) +
                         " axes");
    }
    for (std::size_t axis = 0; axis < wrap.size(); ++axis) {
        const bool wraps = wrap[axis] && choice.axes[axis].length > 2;
        choice.assumed = choice.assumed || wraps != choice.axes[axis].wraps;
        choice.axes[axis].wraps = wraps;
    }
}

const char* const twisted_key = "twisted_ok";

/// The chips of which the vendor twists slices, for a message.
std::string chips_that_twist()
{
    std::vector<std::string> names;
    for (const std::string& name : Preset::names()) {
        if (Preset::load(name).has(twisted_key)) {
            names.push_back(name);
        }
    }
    return join(names);
}

void check_twist(const Preset& preset, const std::vector<Axis>& axes)
{
    if (!preset.has(twisted_key)) {
        throw InputError("slices of " + preset.name() + " cannot be twisted (no preset value '" +
                         twisted_key +
                         "'); allowed: a chip whose slices can: " + chips_that_twist());
    }
    const auto allowed = preset.at(twisted_key).value.get<std::vector<std::string>>();
    const auto sorted = [](Lengths lengths) {
        std::sort(lengths.begin(), lengths.end());
        return lengths;
    };
    const bool listed = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& shape) {
        return sorted(parse_shape(shape, axes.size())) == sorted(lengths_of(axes));
    });
    if (!listed) {
        throw InputError("a slice of " + shape_of(axes) + " chips of " + preset.name() +
                         " cannot be twisted; allowed, in any order of axes: " + join(allowed));
    }
    if (!can_be_twisted(axes)) {
        throw InputError("a twisted slice has k x k x 2k or k x 2k x 2k chips with k at least 4 "
                         "and wraps on every axis; " +
                         shape_of(axes) + " as asked for does not");
    }
}

/// The chips of which the vendor joins slices over the data center network, for a message.
std::string chips_with_dcn()
{
    std::vector<std::string> names;
    for (const std::string& name : Preset::names()) {
        if (Preset::load(name).has("dcn_bw_chip")) {
            names.push_back(name);
        }
    }
    return join(names);
}

int cores_of_a_slice(const Preset& preset, const SliceRequest& request)
{
    const int slices = request.slices;
    if (slices == 1) {
        return request.cores;
    }
    if (slices < 1 || request.cores % slices != 0) {
        throw InputError("found " + std::to_string(slices) + " slices for " +
                         std::to_string(request.cores) +
                         " cores; allowed: a divisor of the cores, which are those of all slices");
    }
    if (!preset.has("dcn_bw_chip") || !preset.has("dcn_latency_s")) {
        throw InputError("found " + std::to_string(slices) + " slices of " + preset.name() +
                         ", whose preset has no dcn_bw_chip and dcn_latency_s; allowed: 1, or a "
                         "chip that has them: " +
                         chips_with_dcn());
    }
    if (request.twisted) {
        throw InputError("found " + std::to_string(slices) +
                         " slices that are twisted; allowed: one twisted slice");
    }
    return request.cores / slices;
}

int cores_used_per_chip(const Preset& preset, int cores, int per_chip,
                        const std::vector<ListedSlice>& listed)
{
    if (cores < 1) {
        throw InputError("found " + std::to_string(cores) + " cores; allowed: at least 1");
    }
    if (cores < per_chip && per_chip % cores == 0) {
        return cores;
    }
    if (cores % per_chip != 0) {
        throw InputError(std::to_string(cores) + " cores are no whole chips of " + preset.name() +
                         " (" + std::to_string(per_chip) + " cores a chip)" +
                         nearest_counts(cores, per_chip, listed));
    }
    return per_chip;
}

} // namespace

Slice Slice::choose(const Preset& preset, const SliceRequest& request)
{
    const std::vector<ListedSlice> listed = listed_slices(preset);
    const int per_chip = static_cast<int>(preset.number("tensorcores_per_chip"));
    const int cores = cores_of_a_slice(preset, request);
    const int used = cores_used_per_chip(preset, cores, std::max(1, per_chip), listed);
    const int chips = cores / used;
    std::optional<Choice> choice;
    if (request.shape) {
        choice = requested_choice(preset, *request.shape, chips, listed);
    } else {
        choice = default_choice(chips, listed);
    }
    if (!choice) {
        throw InputError(
            std::to_string(cores) + " cores are " + std::to_string(chips) +
            " chips, which form no " + (listed.back().axes.size() == 3 ? "box" : "rectangle") +
            " within the largest slice of " + preset.name() + " (" + shape_of(listed.back().axes) +
            ")" + nearest_counts(cores, per_chip, listed));
    }
    if (request.wrap) {
        apply_wrap(*choice, *request.wrap);
    }
    if (request.twisted) {
        check_twist(preset, choice->axes);
    }
    return Slice(choice->axes, used, choice->assumed || used < per_chip, request.twisted,
                 request.slices);
}

} // namespace alxsim::topologies
