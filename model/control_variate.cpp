// SPDX-License-Identifier: Apache-2.0
#include "model/control_variate.h"

#include "base/portable_math.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace alxsim::model {
namespace {

/// Controls that differ by less, relatively, are one value.
constexpr double equal_controls = 1e-12;

/// The x up to which the standard normal distribution has `share` of its mass on both sides of 0.
double normal_quantile(double share)
{
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (portable::erf(middle / std::sqrt(2.0)) < share ? low : high) = middle;
    }
    return low;
}

} // namespace

ControlVariate::ControlVariate(const std::vector<Observation>& sample)
    : count_(static_cast<double>(sample.size()))
{
    if (sample.empty()) {
        throw std::invalid_argument("an estimate from no observations");
    }
    for (const Observation& one : sample) {
        mean_.control += one.control / count_;
        mean_.value += one.value / count_;
    }
    double together = 0;
    for (const Observation& one : sample) {
        const double distance = one.control - mean_.control;
        control_spread_ += distance * distance;
        together += distance * (one.value - mean_.value);
    }
    const double noise = equal_controls * mean_.control;
    const bool has_slope = sample.size() > 2 && control_spread_ > noise * noise * count_;
    slope_ = has_slope ? together / control_spread_ : 0;
    control_spread_ = has_slope ? control_spread_ : 0;
    degrees_ = static_cast<int>(sample.size()) - (has_slope ? 2 : 1);
    for (const Observation& one : sample) {
        const double distance = one.value - predict(one.control);
        residual_ += distance * distance;
    }
}

double ControlVariate::variance_of_sum(double size, double mean_control) const
{
    if (size <= count_) {
        return 0;
    }
    if (degrees_ < 1) {
        return std::numeric_limits<double>::infinity();
    }
    const double distance = mean_control - mean_.control;
    const double leverage = control_spread_ > 0 ? distance * distance / control_spread_ : 0;
    return size * size * residual_ / degrees_ * ((1 - count_ / size) / count_ + leverage);
}

double student_t(double confidence, int degrees_of_freedom)
{
    const double x = normal_quantile(confidence);
    const double n = degrees_of_freedom;
    const double x2 = x * x;
    const double first = (x2 + 1) * x / 4;
    const double second = ((5 * x2 + 16) * x2 + 3) * x / 96;
    const double third = (((3 * x2 + 19) * x2 + 17) * x2 - 15) * x / 384;
    const double fourth = ((((79 * x2 + 776) * x2 + 1482) * x2 - 1920) * x2 - 945) * x / 92160;
    return x + (first + (second + (third + fourth / n) / n) / n) / n;
}

} // namespace alxsim::model
