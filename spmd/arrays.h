// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/checkpoint.h"
#include "spmd/collectives/moving_collective.h"
#include "spmd/linear/product.h"

#include <cstdint>
#include <vector>

namespace alxsim::spmd {

/// An array of which every device has its own.
struct Array {
    int id = -1;
    bool exists() const { return id >= 0; }
};

/// The shape of the array of one device.
struct Shape {
    std::int64_t rows = 0, columns = 0;
    std::int64_t elements() const { return rows * columns; }
};

/// The numbers of a step's arrays, in f64 or else in f32; where they are stored as bf16, rounded to
/// it.
class Numbers {
public:
    Numbers(int devices, bool in_f64) : devices_(devices), in_f64_(in_f64) {}

    int devices() const { return devices_; }
    bool in_f64() const { return in_f64_; }
    /// Adds an array; arrays have the numbers 0, 1, ... as they are added. Only `devices` have one
    /// of it; empty: all have.
    void add(std::int64_t elements, const std::vector<int>& devices = {});
    /// Adds an array that is a part of another one, from element `first` on.
    void add_part(Array whole, std::int64_t first, std::int64_t elements);
    bool has(Array array, int device) const;
    template <class Real>
    Real* at(Array array, int device)
    {
        const Part& part = parts_[static_cast<std::size_t>(array.id)];
        return storage<Real>()[static_cast<std::size_t>(part.storage)]
                              [static_cast<std::size_t>(device)]
                                  .data() +
               part.first;
    }
    /// Moves them as the collective says.
    void move(const MovingCollective& collective, Array from, Array to);
    /// Returns a device's numbers as f64, whatever they are kept in.
    std::vector<double> read(Array array, int device) const;
    void write(Array array, int device, const std::vector<double>& values);
    /// Writes the same numbers on all devices, rounded if they are stored as bf16.
    void copy(Array array, const std::vector<double>& values, model::DType dtype);
    /// Deals a tensor to all devices by one of its modes: device p of P has the p-th of P equal
    /// parts of `length`.
    void deal(Array array, const std::vector<double>& whole, const ModeShape& shape,
              model::DType dtype);
    /// As they stand in memory, device by device of those that have them: what a checkpoint keeps.
    std::vector<MemoryPart> memory(const std::vector<Array>& arrays);
    /// Those of f32 alone.
    void round_to_bf16(const std::vector<Array>& arrays, int device);

private:
    struct Part {
        int storage = 0;
        std::int64_t first = 0, elements = 0;
    };
    void store(Array array, int device, const std::vector<double>& values, model::DType dtype);
    const Part& part(Array array) const { return parts_[static_cast<std::size_t>(array.id)]; }
    template <class Real>
    std::vector<DeviceArrays<Real>>& storage();
    template <class Real>
    void move_in(const MovingCollective& collective, Array from, Array to);

    int devices_;
    bool in_f64_;
    std::vector<Part> parts_; ///< [array]
    std::vector<DeviceArrays<float>> f32_;
    std::vector<DeviceArrays<double>> f64_;
};

/// The arrays of one device, in its kind of number.
template <class Real>
class On {
public:
    using Number = Real;
    On(Numbers& numbers, int device) : numbers_(numbers), device_(device) {}
    int device() const { return device_; }
    Real* operator()(Array array) const { return numbers_.at<Real>(array, device_); }

private:
    Numbers& numbers_;
    int device_;
};

/// The kind of number of an On<..>.
template <class On>
using NumberOf = typename std::decay_t<On>::Number;

} // namespace alxsim::spmd
