// SPDX-License-Identifier: Apache-2.0
#include "spmd/arrays.h"

#include "base/numbers/bf16.h"
#include "base/work/stop.h"

#include <algorithm>

namespace alxsim::spmd {

template <>
std::vector<DeviceArrays<float>>& Numbers::storage()
{
    return f32_;
}

template <>
std::vector<DeviceArrays<double>>& Numbers::storage()
{
    return f64_;
}

void Numbers::add(std::int64_t elements, const std::vector<int>& devices)
{
    look_for_stop(); // arrays of all layers fill gigabytes
    const auto size = static_cast<std::size_t>(elements);
    parts_.push_back({static_cast<int>(std::max(f32_.size(), f64_.size())), 0, elements});
    const auto add_to = [&](auto& all) {
        auto& array = all.emplace_back(static_cast<std::size_t>(devices_));
        for (int device = 0; device < devices_; ++device) {
            if (devices.empty() ||
                std::find(devices.begin(), devices.end(), device) != devices.end()) {
                array[static_cast<std::size_t>(device)].resize(size);
            }
        }
    };
    in_f64_ ? add_to(f64_) : add_to(f32_);
}

bool Numbers::has(Array array, int device) const
{
    const auto storage = static_cast<std::size_t>(part(array).storage);
    const auto place = static_cast<std::size_t>(device);
    return in_f64_ ? !f64_[storage][place].empty() : !f32_[storage][place].empty();
}

void Numbers::add_part(Array whole, std::int64_t first, std::int64_t elements)
{
    const Part& of = part(whole);
    parts_.push_back({of.storage, of.first + first, elements});
}

/// Parts are copied out and back, since collectives know whole arrays alone.
template <class Real>
void Numbers::move_in(const MovingCollective& collective, Array from, Array to)
{
    const std::vector<std::vector<int>> groups = groups_of(collective);
    const auto copy_of = [&](Array array) {
        DeviceArrays<Real> copy(static_cast<std::size_t>(devices_));
        for (const std::vector<int>& group : groups) {
            for (const int device : group) {
                const Real* const begin = at<Real>(array, device);
                copy[static_cast<std::size_t>(device)].assign(begin, begin + part(array).elements);
            }
        }
        return copy;
    };
    const DeviceArrays<Real> before = copy_of(from);
    DeviceArrays<Real> after = from.id == to.id ? before : copy_of(to);
    move_numbers(collective, before, after);
    for (const std::vector<int>& group : groups) {
        for (const int device : group) {
            const std::vector<Real>& moved = after[static_cast<std::size_t>(device)];
            std::copy(moved.begin(), moved.end(), at<Real>(to, device));
            if (!in_f64_ && collective.dtype == model::DType::bf16) {
                round_to_bf16({to}, device);
            }
        }
    }
}

void Numbers::move(const MovingCollective& collective, Array from, Array to)
{
    in_f64_ ? move_in<double>(collective, from, to) : move_in<float>(collective, from, to);
}

std::vector<MemoryPart> Numbers::memory(const std::vector<Array>& arrays)
{
    std::vector<MemoryPart> parts;
    for (const Array array : arrays) {
        const auto elements = static_cast<std::size_t>(part(array).elements);
        for (int device = 0; device < devices_; ++device) {
            if (!has(array, device)) {
                continue;
            }
            parts.push_back(in_f64_ ? memory_of(at<double>(array, device), elements)
                                    : memory_of(at<float>(array, device), elements));
        }
    }
    return parts;
}

std::vector<double> Numbers::read(Array array, int device) const
{
    const Part& of = part(array);
    const auto storage = static_cast<std::size_t>(of.storage);
    const auto place = static_cast<std::size_t>(device);
    const auto copied = [&](const auto& numbers) {
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(of.first);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(of.elements));
    };
    return in_f64_ ? copied(f64_[storage][place]) : copied(f32_[storage][place]);
}

void Numbers::write(Array array, int device, const std::vector<double>& values)
{
    if (in_f64_) {
        std::copy(values.begin(), values.end(), at<double>(array, device));
        return;
    }
    std::transform(values.begin(), values.end(), at<float>(array, device),
                   [](double value) { return static_cast<float>(value); });
}

void Numbers::store(Array array, int device, const std::vector<double>& values, model::DType dtype)
{
    write(array, device, values);
    if (dtype == model::DType::bf16 && !in_f64_) {
        round_to_bf16({array}, device);
    }
}

void Numbers::copy(Array array, const std::vector<double>& values, model::DType dtype)
{
    for (int device = 0; device < devices_; ++device) {
        store(array, device, values, dtype);
    }
}

void Numbers::deal(Array array, const std::vector<double>& whole, const ModeShape& shape,
                   model::DType dtype)
{
    const std::int64_t run = shape.length / devices_ * shape.inner;
    for (int device = 0; device < devices_; ++device) {
        std::vector<double> dealt;
        dealt.reserve(static_cast<std::size_t>(shape.outer * run));
        for (std::int64_t i = 0; i < shape.outer; ++i) {
            const auto begin = whole.begin() + (i * devices_ + device) * run;
            dealt.insert(dealt.end(), begin, begin + run);
        }
        store(array, device, dealt, dtype);
    }
}

void Numbers::round_to_bf16(const std::vector<Array>& arrays, int device)
{
    for (const Array array : arrays) {
        float* const numbers = at<float>(array, device);
        std::transform(numbers, numbers + part(array).elements, numbers,
                       [](float number) { return to_float(to_bf16(number)); });
    }
}

} // namespace alxsim::spmd
