// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace alxsim::model {

/// A collective of some devices, of one role or of several, in which they meet by its name: the
/// n-th time for each that it is under way.
struct RoleMeeting {
    std::vector<bool> takes_part; ///< [device]
    int devices = 0;              ///< so many do
    /// A role that must have entered before another one is done; if it `sends`, so long before as
    /// the schedule takes.
    struct Wait {
        int role = 0;
        bool sends = false;
    };
    /// [role]: of messages, itself and those that send to it; else all that take part. Empty for
    /// roles that do not.
    std::vector<std::vector<Wait>> waits_for;
    int first_role = 0; ///< of those that take part
    bool of_several_roles = false;
};

/// The collectives of a graph with roles. In a role "all" devices are its own, and groups are lists
/// of ranks; groups of a mesh must lie within the role. One whose devices are of several roles
/// stands in all of them under one name.
class RoleMeetings {
public:
    /// Finds those of a graph that outlives it, on so many devices. Throws InputError unless every
    /// device has one role, and all roles agree on who meets where.
    RoleMeetings(const OpGraph& graph, int devices);

    /// A role's collective with its groups as lists of ranks, if it has no messages; the same for
    /// all roles that meet in it.
    const Collective& collective_of(const Op& op, int role) const;
    std::shared_ptr<const RoleMeeting> meeting_of(const Op& op, int role) const;

private:
    /// A collective by its name; of those within a role also by that, else -1: these may be several
    /// that differ.
    using Key = std::pair<Name, int>;
    struct Known {
        Collective collective;
        std::vector<int> roles;
        std::shared_ptr<RoleMeeting> meeting;
    };

    using Groups = std::vector<std::vector<int>>;

    Collective in_role(const Op& op, int role) const;
    std::shared_ptr<const Groups> groups_in_role(const Op& op, int role) const;
    const Known& known(const Op& op, int role) const;
    void assign_roles();
    void add_all(const OpGraph& graph, int role, std::set<const OpGraph*>& seen);
    void add(const Op& op, int role);
    Key key_of(const Op& op, const Collective& collective, int role) const;
    void complete(const Key& key, Known& of) const;
    void set_waits(const Collective& collective, const std::set<int>& roles,
                   RoleMeeting& meeting) const;

    const OpGraph& graph_;
    int devices_;
    std::vector<int> role_of_; ///< [device]
    std::map<Key, std::vector<Known>> known_;
    /// Where in known_ an op of a role's graph is.
    std::map<std::pair<const Op*, int>, std::pair<Key, std::size_t>> place_of_;
    /// Groups along axes of a mesh that lie within a role: most collectives have the same few.
    using AxesInRole = std::tuple<const Mesh*, std::vector<std::string>, int>;
    mutable std::map<AxesInRole, std::shared_ptr<const Groups>> groups_;
};

} // namespace alxsim::model
