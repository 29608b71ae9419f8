// SPDX-License-Identifier: Apache-2.0
#include "model/costs/phase_names.h"

#include <algorithm>

namespace alxsim::model {
namespace {

constexpr int unmet = -1;

} // namespace

int PhaseNames::index_of(Name phase, int axes)
{
    const std::size_t of_phase = phases_.number_of(phase);
    if (of_phase == numbers_.size()) {
        numbers_.emplace_back();
    }
    std::vector<int>& numbers = numbers_[of_phase];
    const auto place = static_cast<std::size_t>(axes + 1);
    if (place >= numbers.size()) {
        numbers.resize(place + 1, unmet);
    }
    if (numbers[place] == unmet) {
        numbers[place] = static_cast<int>(names_.size());
        names_.push_back(phase);
        names_of_axes_.push_back(axes == no_axes ? std::string()
                                                 : axes_.names()[static_cast<std::size_t>(axes)]);
    }
    return numbers[place];
}

void PhaseNames::clear()
{
    phases_.clear();
    axes_.clear();
    numbers_.clear();
    names_.clear();
    names_of_axes_.clear();
}

} // namespace alxsim::model
