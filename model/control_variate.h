// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace alxsim::model {

/// A member of a population, of which `control` is known for all and `value` for some only.
struct Observation {
    double control = 0;
    double value = 0;
};

/// Estimates a population's sum from a simple random sample and a control variate known for every
/// member: the regression estimator (Cochran, Sampling Techniques, 3rd ed., sections 7.1-7.5).
/// Where the controls are all equal it is the sample's mean.
class ControlVariate {
public:
    /// Throws std::invalid_argument for an empty sample.
    explicit ControlVariate(const std::vector<Observation>& sample);

    /// Predicts that of a member that was not observed.
    double predict(double control) const
    {
        return mean_.value + slope_ * (control - mean_.control);
    }
    /// Returns that of the sum of predictions over a population of `size` members whose mean
    /// control is `mean_control`; infinite where the sample is too small to say. 0 if all were
    /// observed.
    double variance_of_sum(double size, double mean_control) const;
    /// Observations beyond what the line itself takes.
    int degrees_of_freedom() const { return degrees_; }

private:
    Observation mean_;
    double slope_ = 0;
    double control_spread_ = 0; ///< sum of squared distances from the mean
    double residual_ = 0;       ///< sum of squared distances from the line
    double count_ = 0;
    int degrees_ = 0;
};

/// The two-sided quantile of Student's t: a share `confidence` of it lies within +- this. Expansion
/// 26.7.5 of Abramowitz and Stegun; within 0.5 % for 5 degrees of freedom or more, and meant for
/// these.
double student_t(double confidence, int degrees_of_freedom);

} // namespace alxsim::model
