// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace alxsim::alx {

/// An epoch solves for the rows, sums up their Gramian, and does the same for the columns.
enum class EpochPart { row_half, row_gramian, column_half, column_gramian };

constexpr std::array epoch_parts{EpochPart::row_half, EpochPart::row_gramian,
                                 EpochPart::column_half, EpochPart::column_gramian};

constexpr bool of_rows(EpochPart part)
{
    return part == EpochPart::row_half || part == EpochPart::row_gramian;
}

constexpr bool is_half(EpochPart part)
{
    return part == EpochPart::row_half || part == EpochPart::column_half;
}

/// The steps of an epoch: those of each half, and one for each Gramian.
class EpochPlan {
public:
    struct Position {
        EpochPart part = EpochPart::row_half;
        std::int64_t step = 0; ///< of the part
    };

    EpochPlan(std::int64_t row_half_steps, std::int64_t column_half_steps)
        : row_half_steps_(row_half_steps),
          column_half_steps_(column_half_steps)
    {
    }

    std::int64_t steps() const
    {
        std::int64_t sum = 0;
        for (const EpochPart part : epoch_parts) {
            sum += steps_of(part);
        }
        return sum;
    }

    /// `step` of the epoch, from 0 to steps() - 1.
    Position at(std::int64_t step) const
    {
        Position position{epoch_parts.front(), step};
        for (const EpochPart part : epoch_parts) {
            position.part = part;
            if (position.step < steps_of(part)) {
                break;
            }
            position.step -= steps_of(part);
        }
        return position;
    }

private:
    std::int64_t steps_of(EpochPart part) const
    {
        return !is_half(part) ? 1 : of_rows(part) ? row_half_steps_ : column_half_steps_;
    }

    std::int64_t row_half_steps_;
    std::int64_t column_half_steps_;
};

} // namespace alxsim::alx
