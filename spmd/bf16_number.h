// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/bf16.h"

#include <cmath>
#include <limits>

namespace alxsim::spmd {

/// A number that is rounded to bf16 after every operation.
class Bf16Number {
public:
    Bf16Number() = default;
    template <class Number>
    explicit Bf16Number(Number value) : value_(to_float(to_bf16(static_cast<float>(value))))
    {
    }
    explicit operator float() const { return value_; }
    explicit operator double() const { return value_; }

    friend Bf16Number operator+(Bf16Number a, Bf16Number b)
    {
        return Bf16Number(a.value_ + b.value_);
    }
    friend Bf16Number operator-(Bf16Number a, Bf16Number b)
    {
        return Bf16Number(a.value_ - b.value_);
    }
    friend Bf16Number operator*(Bf16Number a, Bf16Number b)
    {
        return Bf16Number(a.value_ * b.value_);
    }
    friend Bf16Number operator/(Bf16Number a, Bf16Number b)
    {
        return Bf16Number(a.value_ / b.value_);
    }
    friend Bf16Number operator-(Bf16Number a) { return Bf16Number(-a.value_); }
    Bf16Number& operator+=(Bf16Number b) { return *this = *this + b; }
    Bf16Number& operator-=(Bf16Number b) { return *this = *this - b; }
    Bf16Number& operator*=(Bf16Number b) { return *this = *this * b; }
    Bf16Number& operator/=(Bf16Number b) { return *this = *this / b; }
    friend bool operator==(Bf16Number a, Bf16Number b) { return a.value_ == b.value_; }
    friend bool operator!=(Bf16Number a, Bf16Number b) { return a.value_ != b.value_; }
    friend bool operator<(Bf16Number a, Bf16Number b) { return a.value_ < b.value_; }
    friend bool operator>(Bf16Number a, Bf16Number b) { return a.value_ > b.value_; }
    friend bool operator<=(Bf16Number a, Bf16Number b) { return a.value_ <= b.value_; }
    friend bool operator>=(Bf16Number a, Bf16Number b) { return a.value_ >= b.value_; }
    friend Bf16Number sqrt(Bf16Number a) { return Bf16Number(std::sqrt(a.value_)); }
    friend Bf16Number abs(Bf16Number a) { return Bf16Number(std::abs(a.value_)); }

private:
    float value_ = 0;
};

} // namespace alxsim::spmd

namespace std {

template <>
class numeric_limits<alxsim::spmd::Bf16Number> : public numeric_limits<float> {
public:
    static constexpr int digits = 8;
    static constexpr int digits10 = 2;
    static alxsim::spmd::Bf16Number min()
    {
        return alxsim::spmd::Bf16Number(numeric_limits<float>::min());
    }
    static alxsim::spmd::Bf16Number epsilon() { return alxsim::spmd::Bf16Number(0x1p-7F); }
};

} // namespace std
