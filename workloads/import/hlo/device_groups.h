// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::hlo {

/// Ids in row-major order, their dimensions transposed: [d..]T(p..) of HLO text. Id of a place is
/// computed when asked for.
struct Iota {
    std::vector<std::int64_t> dims;
    std::vector<std::size_t> order; ///< which dimension stands where after the transposition

    std::int64_t size() const;
    std::int64_t id(std::int64_t place) const;
};

/// The groups of a collective as HLO text writes them. Nothing is expanded before it is asked for:
/// a slice of 8,960 chips is a line of text.
class DeviceGroups {
public:
    /// Any of
    ///     {}                                       all in one group (`all` of them)
    ///     {{0,1},{2,3}}
    ///     [groups,size]<=[d..]T(p..)
    ///     mesh['a'=n,..], device_ids=([d..]T(p..)) {'a','c'}    without device_ids: 0, 1, 2..
    /// A group of a mesh varies the named axes, in the order named. Throws InputError(file, place)
    /// with what was found and what is allowed; ids must be below 2^31.
    DeviceGroups(std::string_view text, std::int64_t all, const std::string& file,
                 const std::string& place);

    std::int64_t groups() const;
    std::int64_t size(std::int64_t group) const;
    std::int64_t id(std::int64_t group, std::int64_t member) const;
    std::int64_t ids() const;        ///< of all groups together
    std::int64_t largest_id() const; ///< -1 where there is none
    /// All groups. Throws InputError where they hold more than `most` ids.
    std::vector<std::vector<std::int64_t>> expanded(std::int64_t most) const;

private:
    void read_lists(std::string_view text);
    void read_iota(std::string_view text);
    void read_mesh(std::string_view text);
    [[noreturn]] void refuse(const std::string& problem) const;

    std::string file_, place_;
    std::vector<std::vector<std::int64_t>> lists_;
    Iota iota_;                          ///< where there are no lists: the ids
    std::int64_t groups_ = 0, size_ = 0; ///< where there are no lists
    std::vector<std::pair<std::int64_t, std::int64_t>> in_group_, of_groups_; ///< sizes and strides
};

/// {{0,1},{1,2}} of a permute. Throws InputError(file, place).
std::vector<std::pair<std::int64_t, std::int64_t>>
source_target_pairs(std::string_view text, const std::string& file, const std::string& place);

/// What the ids of a collective's groups count. From its channel_id and use_global_device_ids
/// (CollectiveOpGroupMode of XLA): without a channel replicas, each partition by itself; with a
/// channel alone all partitions of the listed replicas; with both devices. Ids beyond the module's
/// replicas, and those of permutes and all-to-alls with a channel, are partitions.
enum class GroupMeaning { replicas, all_partitions_of_replicas, devices };

GroupMeaning meaning_of_groups(const Module& module, const Instruction& instruction,
                               const DeviceGroups& groups);

/// The groups of this collective as devices, replica x partitions + partition. Throws InputError
/// where they hold more than `most` ids.
std::vector<std::vector<std::int64_t>>
devices_of(const Module& module, const Instruction& instruction, std::int64_t most);

/// Its replica_groups, or, of a module without a word of them, all devices.
DeviceGroups groups_of(const Module& module, const Instruction& instruction);

} // namespace alxsim::hlo
