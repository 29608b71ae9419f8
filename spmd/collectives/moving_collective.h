// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/mesh.h"
#include "model/graph/effects.h"
#include "model/graph/work.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::spmd {

/// [device][element]: an array of which every device has one.
template <class Number>
using DeviceArrays = std::vector<std::vector<Number>>;

/// How members' numbers become one: sums are made in ascending order of the members, or in pairs
/// (of the sums of the first and of the second half of them, as long as there are two whole
/// halves).
enum class Combine { sum, sum_in_pairs, largest };

/// A collective over axes of a mesh whose op is counted and whose numbers are moved, both from what
/// is said here. Groups work by themselves; the members of a group follow each other in ascending
/// order. In a permute each sends its array to the member `shift` places on; where it is not
/// `cyclic`, those who have none there send nothing, and those who get nothing keep what they have.
struct MovingCollective {
    model::CollectiveKind kind = model::CollectiveKind::all_reduce;
    std::vector<std::string> axes; ///< of `mesh`
    std::shared_ptr<const model::Mesh> mesh;
    std::int64_t elements = 0;              ///< of the larger array of a device
    model::DType dtype = model::DType::f32; ///< in which they travel
    int root = 0;                           ///< of a broadcast or reduce: the place in the group
    Combine combine = Combine::sum;
    int shift = 1; ///< of a permute
    bool cyclic = true;
    /// Instead of all groups along `axes`: these. Null: all.
    std::shared_ptr<const std::vector<std::vector<int>>> groups = nullptr;
};

/// The op's work: Collective::bytes are `elements` of `dtype`. A permute is one along the mesh if
/// each sends to the next around; others are messages between devices by their numbers.
model::Collective work_of(const MovingCollective& collective);
/// Returns the work of a permute to the next around, and of one as large to the one before, at
/// once.
model::Collective work_both_ways(const MovingCollective& permute);

/// The groups whose numbers it moves.
std::vector<std::vector<int>> groups_of(const MovingCollective& collective);

/// Called with the elements of a device's larger array each time that a collective has moved some.
using Moved = std::function<void(std::int64_t elements)>;

namespace moving {

/// Throws std::logic_error unless an array has as many elements as it should.
void check_elements(const MovingCollective& collective, std::size_t found, std::size_t expected);

/// To which device a member of a permute's group sends; -1: to none.
int receiver_of(const MovingCollective& collective, const std::vector<int>& group,
                std::size_t member);

template <class Number>
void combine_into(Combine combine, const std::vector<Number>& from, std::vector<Number>& result)
{
    if (combine != Combine::largest) {
        std::transform(result.begin(), result.end(), from.begin(), result.begin(),
                       std::plus<Number>());
    } else {
        std::transform(result.begin(), result.end(), from.begin(), result.begin(),
                       [](Number a, Number b) { return std::max(a, b); });
    }
}

/// What all members of a group have, combined.
template <class Number>
std::vector<Number> combined(Combine combine, const std::vector<int>& group,
                             const DeviceArrays<Number>& from)
{
    if (combine == Combine::sum_in_pairs && group.size() % 2 == 0) {
        const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
        std::vector<Number> result = combined(combine, {group.begin(), middle}, from);
        combine_into(combine, combined(combine, {middle, group.end()}, from), result);
        return result;
    }
    std::vector<Number> result = from[static_cast<std::size_t>(group.front())];
    for (std::size_t i = 1; i < group.size(); ++i) {
        combine_into(combine, from[static_cast<std::size_t>(group[i])], result);
    }
    return result;
}

/// One group's part: [member] is copied, summed or cut into `to`. The arrays may be the same.
template <class Number>
void move_in_group(const MovingCollective& collective, const std::vector<int>& group,
                   const DeviceArrays<Number>& from, DeviceArrays<Number>& to)
{
    const auto at = [](int device) { return static_cast<std::size_t>(device); };
    const auto whole = static_cast<std::size_t>(collective.elements);
    const auto part = whole / group.size();
    switch (collective.kind) {
    case model::CollectiveKind::all_gather: {
        std::vector<Number> all;
        all.reserve(whole);
        for (const int device : group) {
            all.insert(all.end(), from[at(device)].begin(), from[at(device)].end());
        }
        for (const int device : group) {
            to[at(device)] = all;
        }
        return;
    }
    case model::CollectiveKind::reduce_scatter: {
        const std::vector<Number> sum = combined(collective.combine, group, from);
        auto begin = sum.begin();
        for (const int device : group) {
            const auto end = begin + static_cast<std::ptrdiff_t>(part);
            to[at(device)].assign(begin, end);
            begin = end;
        }
        return;
    }
    case model::CollectiveKind::all_reduce: {
        const std::vector<Number> sum = combined(collective.combine, group, from);
        for (const int device : group) {
            to[at(device)] = sum;
        }
        return;
    }
    case model::CollectiveKind::broadcast: {
        const std::vector<Number> root = from[at(group[at(collective.root)])];
        for (const int device : group) {
            to[at(device)] = root;
        }
        return;
    }
    case model::CollectiveKind::reduce:
        to[at(group[at(collective.root)])] = combined(collective.combine, group, from);
        return;
    case model::CollectiveKind::all_to_all: {
        std::vector<std::vector<Number>> received(group.size());
        for (const int device : group) {
            auto begin = from[at(device)].begin();
            for (std::vector<Number>& of_member : received) {
                const auto end = begin + static_cast<std::ptrdiff_t>(part);
                of_member.insert(of_member.end(), begin, end);
                begin = end;
            }
        }
        for (std::size_t member = 0; member < group.size(); ++member) {
            to[at(group[member])] = std::move(received[member]);
        }
        return;
    }
    case model::CollectiveKind::permute: {
        DeviceArrays<Number> sent;
        for (const int device : group) {
            sent.push_back(from[at(device)]);
        }
        for (std::size_t member = 0; member < group.size(); ++member) {
            if (const int receiver = receiver_of(collective, group, member); receiver >= 0) {
                to[at(receiver)] = std::move(sent[member]);
            }
        }
        return;
    }
    }
    throw std::logic_error("an unknown collective");
}

} // namespace moving

/// Moves numbers of all groups from `from` to `to`, which may be the same arrays. Of an all-gather
/// `from` has a part, of a reduce-scatter `to`. Throws std::logic_error where an array has other
/// elements than the collective says.
template <class Number>
void move_numbers(const MovingCollective& collective, const DeviceArrays<Number>& from,
                  DeviceArrays<Number>& to)
{
    for (const std::vector<int>& group : groups_of(collective)) {
        const auto whole = static_cast<std::size_t>(collective.elements);
        const std::size_t each =
            collective.kind == model::CollectiveKind::all_gather ? whole / group.size() : whole;
        for (const int device : group) {
            moving::check_elements(collective, from[static_cast<std::size_t>(device)].size(), each);
        }
        moving::move_in_group(collective, group, from, to);
    }
}

} // namespace alxsim::spmd
