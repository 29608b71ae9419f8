// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_algorithm.h"
#include "model/xla/collective_facts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::model {

/// Which algorithm the TPU compiler runs.
struct XlaChoice {
    CollectiveAlgorithm algorithm;
    /// The axes that each colour goes along, those of its first ring first: indices into
    /// network_axes(). Empty for one ring of all, and where the compiler does not say.
    std::vector<std::vector<int>> orders;
    std::string inner;   ///< of an all-reduce of zeros, or one that is sliced after: its name
    bool padded = false; ///< a permute mends the seam of rows that were padded
    bool hidden = false; ///< the program does not show the algorithm
    std::string why;     ///< of the rule
};

/// What the compiler chooses for `collective` in `group`, by collective_rules.json: rules of kind,
/// group shape, rings and bytes, made on what libtpu compiles (tests/oracle/xla). Nothing for chips
/// that the rules do not know, twisted tori and kinds that the compiler was not asked for.
std::optional<XlaChoice> xla_choice(const Collective& collective, const CollectiveGroup& group,
                                    const topologies::Machine& machine);

/// The same for collectives that differ in their bytes alone: what does not go by bytes is found
/// once, and each choice is made once. Not safe for several threads.
class XlaChoicesBySize {
public:
    /// On machines that differ from `machine` in numbers alone the choices are the same.
    XlaChoicesBySize(const Collective& collective, const CollectiveGroup& group,
                     const topologies::Machine& machine);
    ~XlaChoicesBySize();
    XlaChoicesBySize(XlaChoicesBySize&&) noexcept;
    XlaChoicesBySize& operator=(XlaChoicesBySize&&) noexcept;

    /// The choice for so many bytes, by its number: from 0 in the order in which they are met. -1:
    /// xla_choice() has nothing.
    int number_of(Bytes bytes);
    const XlaChoice& choice(int number) const;

private:
    struct Facts;

    std::unique_ptr<Facts> facts_;
};

/// All that it chooses for such collectives of any size, each once, with the group's axes in any
/// order.
std::vector<XlaChoice> xla_choices(const Collective& collective, const CollectiveGroup& group,
                                   const topologies::Machine& machine);

} // namespace alxsim::model
