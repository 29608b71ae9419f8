// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/hbm/hbm_rates.h"

#include <cstddef>
#include <string>

namespace alxsim::experiments {

/// A line with the checksum of the rest, which is JSON. Throws std::runtime_error if it cannot.
void write_hbm_rates(const std::string& path, const model::HbmRateShares& shares);
/// Empty where the file is not, to the last byte, what this program has written.
model::HbmRateShares read_hbm_rates(const std::string& path);

/// Rates of the HBM that processes of this program have measured, in a file with a checksum. They
/// save time alone: a file that is missing, damaged or by another version is as good as none, and
/// one that cannot be written is let be.
class HbmRatesFile {
public:
    /// `path` "": no file. Takes what it has into this process.
    explicit HbmRatesFile(std::string path);

    /// Adds what this process has measured and the file has not, if anything.
    void save();

private:
    std::string path_;
    std::size_t saved_ = 0; ///< rates that the file had or was given
};

} // namespace alxsim::experiments
