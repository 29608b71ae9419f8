// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/places.h"

#include <vector>

namespace alxsim::model {

/// When a member of a collective is done, and whose readiness that hung on.
struct MemberDone {
    int member = 0;
    Picoseconds time{0};
    int cause = 0;
};

/// What does not change about when the members of a collective are done: of a group, all when the
/// last was ready and the schedule's time has passed, since TPU programs begin a collective with a
/// barrier of its group; of a broadcast or reduce in chunks, each by
/// itself (rooted_tree).
struct MemberPlan {
    /// `alone`: the schedule's time if all are ready at once.
    MemberPlan(const CollectiveSchedule& schedule, const Places& places, Picoseconds alone);

    bool rooted() const { return !parent.empty(); }

    Picoseconds alone{0};
    std::vector<int> group_of;   ///< [member]
    std::vector<int> group_size; ///< [group]

    /// A tree: every member but the root sends or gets its chunks by a link to its parent.
    struct LinkToParent {
        Picoseconds chunk{0}; ///< sending one
        Picoseconds latency{0};
    };
    std::vector<int> parent; ///< [member]; -1: of the root
    std::vector<std::vector<int>> children;
    std::vector<LinkToParent> link; ///< [member]
    std::int64_t chunks = 0;
    bool to_root = false;

private:
    void plan_groups(const CollectiveSchedule& schedule, const Places& places);
    void plan_tree(const CollectiveSchedule& schedule, const Places& places);
};

/// Who is done when in one collective, told as soon as it is known. With C chunks that take s on a
/// link and latency L, when the first chunk (F) and the last (A) have come by the link between m
/// and its parent p:
///   from the root: F(m) = max(r(p), F(p)) + s + L,
///                  A(m) = max(A(p) + s + L, max(r(p), F(p)) + C s + L);
///   to the root:   F(m) = max(r(m), F of m's children) + s + L,
///                  A(m) = max(A of the children + s + L, max(r(m), F of the children) + C s + L).
/// A member is done when it is ready and all that it gets and all that it sends has come. That is
/// exact on links of one rate that nobody else uses, whoever is late.
class MemberTimes {
public:
    explicit MemberTimes(const MemberPlan& plan);

    /// `member` can send from `ready` on. Appends to `done` whose time is now known.
    void enter(int member, Picoseconds ready, std::vector<MemberDone>& done);

private:
    /// Chunks on the link to the parent: a time, and the member that it hung on.
    struct Passing {
        Picoseconds first{0};
        Picoseconds last{0};
        int first_cause = 0;
        int last_cause = 0;
    };
    struct Member {
        Picoseconds ready{0};
        bool entered = false;
        bool known = false; ///< Passing of its links, that to the parent if chunks go to the root
        int missing = 0;    ///< children whose passing is not known; to the root only
        Passing passing;    ///< on the link to its parent
    };

    void enter_group(int member, Picoseconds ready, std::vector<MemberDone>& done);
    void resolve_from_root(int member, std::vector<MemberDone>& done);
    void resolve_to_root(int member, std::vector<MemberDone>& done);
    Passing passed_on(int sender, const MemberPlan::LinkToParent& link, const Passing& got) const;
    Member& at(int member) { return members_[static_cast<std::size_t>(member)]; }
    const Member& at(int member) const { return members_[static_cast<std::size_t>(member)]; }

    const MemberPlan& plan_;
    std::vector<Member> members_;
    std::vector<std::vector<int>> entered_; ///< [group]
};

} // namespace alxsim::model
