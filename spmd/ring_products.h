// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/step_builder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace alxsim::spmd {

/// Products of which one matrix is dealt by rows to the devices along an axis: device p has the
/// p-th of equal parts. In place of a gather before them, or of a reduce-scatter after them, they
/// are made in steps, and parts go round by permutes beside them (collective matmul, Wang et al.,
/// ASPLOS 2023; XLA's partitioner, spmd/dot_handler.cc, EmitWindowedDotGeneral, says "windowed
/// einsum"). As there, where the devices divide by 4, parts go both ways at once, and a step is a
/// product with two of them: half as many steps, behind or before one permute alone. Else parts go
/// one way.
///
/// Where P devices go both ways, c is the product with two parts, and m a permute of one:
/// gathered m + (P/2 - 1) max(c, m) + c, scattered the same and P/2 additions. One way, c of one
/// part: (P - 1) max(c, m) + c.
class RingProducts {
public:
    /// `axis`: of the builder's mesh, with two devices or more; the builder outlives it.
    RingProducts(StepBuilder& builder, std::string axis);

    struct Name {
        std::string name, phase;
    };

    /// result [P rows x n] = all parts of `part` [rows x k], one under the other, times right, and
    /// bias, if there is one, added to each row.
    void multiply_gathered(const Name& name, Array part, StepBuilder::Operand right, Array result,
                           Array bias = {});
    /// result [a x b] = left^T right, where one of both is gathered, of [rows x a] and [rows x b],
    /// and the other stands whole. column_sums, if there are any: of the right one.
    struct OverRows {
        Array left, right;
        bool gathers_left = false; ///< else the right one
    };
    void multiply_over_rows(const Name& name, OverRows factors, Array result,
                            Array column_sums = {});
    /// result [rows x n] = the device's part of the sum of all devices' left [P rows x k] times
    /// right.
    void multiply_and_scatter(const Name& name, Array left, StepBuilder::Operand right,
                              Array result);

private:
    /// A part that stands on a device during a step: that of the device `places` further on.
    struct Visitor {
        Array array;
        std::int64_t places = 0;
    };
    /// Calls step(visitors, number) with each part in turn, while those of the next are under way.
    using Step = std::function<void(const std::vector<Visitor>&, int number)>;
    void gather(const std::string& name, Array part, const Step& step);
    /// Each visitor's array = its rows of left, times right.
    void multiply_rows(const Name& name, Array left, StepBuilder::Operand right,
                       const std::vector<Visitor>& results);
    struct Sum {
        Array result, one, other;
    };
    void add(const Name& name, const std::vector<Sum>& sums);
    Array buffer(const std::string& name, int number, Array like);
    /// Where that device stands along the axis.
    std::function<std::int64_t(int device)> place_of(std::int64_t places) const;
    double share(std::size_t parts) const
    {
        return static_cast<double>(parts) / static_cast<double>(parts_);
    }
    int steps() const { return both_ways_ ? parts_ / 2 : parts_; }

    StepBuilder& builder_;
    std::string axis_;
    int parts_;
    bool both_ways_;
};

} // namespace alxsim::spmd
