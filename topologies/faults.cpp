// SPDX-License-Identifier: Apache-2.0
#include "topologies/faults.h"

#include "base/input_error.h"
#include "topologies/machine.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace alxsim::topologies {
namespace {

/// "0,3"
std::string place_of(const std::vector<int>& coordinates)
{
    std::vector<std::string> numbers;
    numbers.reserve(coordinates.size());
    for (const int coordinate : coordinates) {
        numbers.push_back(std::to_string(coordinate));
    }
    return join(numbers, ",");
}

std::string place_of(const Slice& slice, int chip)
{
    return place_of(slice.coordinates(chip));
}

/// "1,0 0,1": the chips that a link joins with this one.
std::string neighbours_of(const Slice& slice, int chip)
{
    std::vector<std::string> names;
    for (int axis = 0; axis < static_cast<int>(slice.axes().size()); ++axis) {
        for (const int direction : {-1, 1}) {
            if (const std::optional<int> next = slice.neighbour(chip, axis, direction)) {
                names.push_back(place_of(slice, *next));
            }
        }
    }
    return names.empty() ? "none, for it has no neighbours" : join(names, " ");
}

/// Reads one entry after the other into a plan.
class FaultReader {
public:
    FaultReader(const Machine& machine, const std::string& file)
        : machine_(machine),
          slice_(machine.slice),
          file_(file)
    {
    }

    void read(const Json& fault, const std::string& place)
    {
        const auto is = [&fault](const char* whose, const char* how) {
            return fault.is_object() && fault.size() == 2 && fault.contains(whose) &&
                   fault.contains(how);
        };
        if (is("core", "speed")) {
            read_core(fault, place);
        } else if (is("link", "bandwidth")) {
            read_link(fault, place);
        } else if (is("chip", "hbm_bytes")) {
            read_chip(fault, place);
        } else {
            refuse(place, fault.dump(),
                   "core and speed, link and bandwidth, or chip and hbm_bytes");
        }
        ++plan_.count;
    }

    const FaultPlan& plan() const { return plan_; }

private:
    [[noreturn]] void refuse(const std::string& place, const std::string& found,
                             const std::string& allowed) const
    {
        throw InputError(file_, place, "found " + found + "; allowed: " + allowed);
    }

    double number(const Json& fault, const char* field, const std::string& place, double low,
                  double high, const std::string& allowed) const
    {
        const Json& value = fault.at(field);
        if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
            refuse(place + "/" + field, value.dump(), allowed);
        }
        return value.get<double>();
    }

    int index(const Json& fault, const char* field, const std::string& place, int count) const
    {
        const std::string allowed = "whole numbers from 0 to " + std::to_string(count - 1);
        const double value = number(fault, field, place, 0, count - 1, allowed);
        if (value != std::floor(value)) {
            refuse(place + "/" + field, fault.at(field).dump(), allowed);
        }
        return static_cast<int>(value);
    }

    void once(const std::string& what, const std::string& place)
    {
        if (!named_.insert(what).second) {
            refuse(place, "a second fault of " + what, "one");
        }
    }

    void read_core(const Json& fault, const std::string& place)
    {
        const int core = index(fault, "core", place, machine_.cores);
        const double speed =
            number(fault, "speed", place, least_speed, 1,
                   "a factor of the clock from 0.000001 to 1 (a core that stands still stops all)");
        once("core " + std::to_string(core), place + "/core");
        plan_.device_speed.resize(static_cast<std::size_t>(machine_.devices), 1.0);
        const int cores_per_device = machine_.cores / machine_.devices;
        double& device = plan_.device_speed[static_cast<std::size_t>(core / cores_per_device)];
        device = std::min(device, speed);
    }

    void read_chip(const Json& fault, const std::string& place)
    {
        const int chip = index(fault, "chip", place, slice_.chips());
        const double whole = machine_.preset.number("hbm_bytes_chip");
        const double bytes = number(fault, "hbm_bytes", place, 1, whole,
                                    "bytes from 1 to the chip's " +
                                        std::to_string(static_cast<std::int64_t>(whole)));
        once("the HBM of chip " + std::to_string(chip), place + "/chip");
        plan_.device_hbm.resize(static_cast<std::size_t>(machine_.devices),
                                machine_.device.usable_hbm);
        const double share = static_cast<double>(machine_.device.usable_hbm.count()) / whole;
        const int first = chip * machine_.devices_per_chip;
        for (int device = first; device < first + machine_.devices_per_chip; ++device) {
            plan_.device_hbm[static_cast<std::size_t>(device)] =
                Bytes(static_cast<std::int64_t>(std::floor(bytes * share)));
        }
    }

    void read_link(const Json& fault, const std::string& place)
    {
        const Json& ends = fault.at("link");
        if (!ends.is_array() || ends.size() != 2) {
            refuse(place + "/link", ends.dump(), "two chips, like [\"0,0\", \"1,0\"]");
        }
        LinkFault link = link_between(chip_named(ends.at(0), place + "/link/0"),
                                      chip_named(ends.at(1), place + "/link/1"), place + "/link");
        link.bandwidth = number(fault, "bandwidth", place, 0, 1,
                                "a factor of the link's bandwidth from 0 (dead) to 1");
        once("the link along axis " + slice_.axis_name(link.axis) + " from chip " +
                 place_of(slice_, link.chip),
             place + "/link");
        plan_.links.push_back(link);
        const std::string problem = problem_of_dead_links(slice_, plan_.links);
        if (!problem.empty()) {
            throw InputError(file_, place + "/link", problem);
        }
    }

    /// "1,0" as a chip.
    int chip_named(const Json& name, const std::string& place) const
    {
        std::vector<int> coordinates;
        const std::string text = name.is_string() ? name.get<std::string>() : "";
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            const std::string part = text.substr(begin, end - begin);
            const bool digits = !part.empty() && part.size() <= 6 &&
                                part.find_first_not_of("0123456789") == std::string::npos;
            coordinates.push_back(digits ? std::stoi(part) : -1);
            begin = end + 1;
        }
        const std::vector<Axis>& axes = slice_.axes();
        bool inside = coordinates.size() == axes.size();
        std::vector<int> last;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            inside = inside && coordinates[axis] >= 0 && coordinates[axis] < axes[axis].length;
            last.push_back(axes[axis].length - 1);
        }
        if (!inside) {
            refuse(place, name.dump(),
                   "a chip's coordinates, \"" + place_of(std::vector<int>(axes.size(), 0)) +
                       "\" to \"" + place_of(last) + "\"");
        }
        return slice_.chip_at(coordinates);
    }

    LinkFault link_between(int one, int other, const std::string& place) const
    {
        for (int axis = 0; axis < static_cast<int>(slice_.axes().size()); ++axis) {
            if (slice_.neighbour(one, axis, 1) == other) {
                return {one, axis, 1};
            }
            if (slice_.neighbour(other, axis, 1) == one) {
                return {other, axis, 1};
            }
        }
        refuse(place,
               "chips " + place_of(slice_, one) + " and " + place_of(slice_, other) +
                   ", which no link of " + (slice_.slices() > 1 ? "" : "a slice of ") +
                   slice_.words() + " joins",
               "with " + place_of(slice_, one) + ": " + neighbours_of(slice_, one));
    }

    static constexpr double least_speed = 1e-6;

    const Machine& machine_;
    const Slice& slice_;
    const std::string& file_;
    FaultPlan plan_;
    std::set<std::string> named_;
};

} // namespace

std::string problem_of_dead_links(const Slice& slice, const std::vector<LinkFault>& links)
{
    std::set<std::pair<int, int>> rings; ///< axis, first chip
    for (const LinkFault& link : links) {
        if (link.bandwidth > 0) {
            continue;
        }
        const std::string on_axis = "on axis " + slice.axis_name(link.axis) + " of a ";
        if (slice.twisted()) {
            return "a dead link " + on_axis + "twisted slice of " + slice.shape() +
                   ", whose routes know no way round; allowed: a bandwidth > 0, or no twist";
        }
        std::vector<int> place = slice.coordinates(link.chip);
        const auto axis = static_cast<std::size_t>(link.axis);
        if (!slice.axes()[axis].wraps && slice.axes()[axis].links == AxisLinks::dcn) {
            return "a dead link between two slices, which no other way joins; allowed: a slow "
                   "link in its place (a bandwidth > 0, such as 0.01)";
        }
        if (!slice.axes()[axis].wraps) {
            return "a dead link " + on_axis + slice.shape() +
                   " slice, which does not wrap there, cuts a line of chips in two, and messages "
                   "go "
                   "round through no other axis; allowed: a slow link in its place (a bandwidth > "
                   "0, such as 0.01); a slice whose axis " +
                   slice.axis_name(link.axis) +
                   " wraps (machine.slice, or machine.wrap: `alxsim chips NAME` lists which do); a "
                   "smaller slice without this link";
        }
        place[axis] = 0;
        if (!rings.insert({link.axis, slice.chip_at(place)}).second) {
            return "a second dead link on the ring along axis " + slice.axis_name(link.axis) +
                   " through chip " + place_of(place) + " cuts it in two; allowed: one a ring";
        }
    }
    return "";
}

FaultPlan read_faults(const Json& faults, const Machine& machine, const std::string& file)
{
    const std::string place = "/machine/faults";
    if (!faults.is_array()) {
        throw InputError(file, place, "found " + faults.dump() + "; allowed: an array of faults");
    }
    FaultReader reader(machine, file);
    for (std::size_t i = 0; i < faults.size(); ++i) {
        reader.read(faults.at(i), place + "/" + std::to_string(i));
    }
    return reader.plan();
}

} // namespace alxsim::topologies
