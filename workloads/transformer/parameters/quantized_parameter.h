// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/dtype.h"
#include "workloads/transformer/parameters/parameters.h"

#include <cstdint>
#include <vector>

namespace alxsim::transformer {

/// A matrix of a model that serves in 8 bits, or one of each expert, one below the other: quantized
/// once, before it is cut, by scales of each one's columns (i8) or of each one (fp8); see
/// quantized_product.h. So a device that has a part of a column has the same numbers as if it had
/// all.
class QuantizedParameter {
public:
    QuantizedParameter(const ParameterSpec& spec, std::int64_t matrices, model::DType type)
        : spec_(spec),
          matrices_(matrices),
          by_column_(type == model::DType::i8),
          type_(type)
    {
    }

    /// Whether a parameter of that role is a factor of a product that may be in 8 bits.
    static bool is_one(ParameterRole role);

    /// [rows of scales x columns of scales] on each device.
    std::int64_t scale_rows(const ParameterCut& cut) const;
    std::int64_t scale_columns(const ParameterCut& cut) const;

    /// The whole matrices' numbers in 8 bits, and their scales.
    struct Quantized {
        std::vector<double> numbers, scales;
    };
    Quantized quantized(const std::vector<double>& whole) const;
    /// Scales as a device has them.
    std::vector<double> cut_scales(const ParameterCut& cut, int device,
                                   const std::vector<double>& scales) const;
    /// A device's numbers times their scales.
    void scale(const ParameterCut& cut, const std::vector<double>& scales,
               std::vector<double>& numbers) const;

private:
    std::int64_t rows_of_one() const { return spec_.rows / matrices_; }

    const ParameterSpec& spec_;
    std::int64_t matrices_;
    bool by_column_;
    model::DType type_;
};

} // namespace alxsim::transformer
