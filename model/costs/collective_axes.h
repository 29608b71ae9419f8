// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "topologies/machine.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {

/// By which axes a report tells the time of a collective: "data" or "row+column" of a mesh, else
/// "x+y" of the network, those that its messages cross where it names none; "chip" if they stay on
/// chips. Where a mesh's groups cross slices, "+dcn" comes behind: that time is told apart.
/// Numbered in the order in which they were first met.
class CollectiveAxes {
public:
    int number_of(const Collective& collective, const topologies::Machine& machine);
    const std::vector<std::string>& names() const { return names_; }
    void clear();

private:
    /// What is known of collectives with these axes of this mesh, or of the network.
    struct Known {
        std::shared_ptr<const Mesh> mesh;
        std::vector<std::string> group;
        int number = 0;
    };
    /// What is known of these lists of ranks or messages, which are held lest others get their
    /// address.
    struct KnownList {
        std::shared_ptr<const void> list;
        int number = 0;
    };

    int number_of(const std::string& name);
    template <class List>
    int number_of_list(const std::shared_ptr<const List>& list,
                       std::string (*name_of)(const List&, const topologies::Machine&),
                       const topologies::Machine& machine);

    std::vector<std::string> names_;
    std::vector<Known> known_;
    std::map<const void*, KnownList> lists_;
};

} // namespace alxsim::model
