// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::topologies {

/// One factor of a derivation: a number, or a value of this preset or of a chip's.
struct DerivationFactor {
    std::string chip;  ///< "tpu_v3"; "" for the preset itself
    std::string key;   ///< "" for a number
    double number = 1; ///< where there is no key
    bool divides = false;

    /// "tpu_v3.clock_hz", "clock_hz" or "2".
    std::string text() const;
};

/// Reads "2 * tpu_v3.gather_row_s * tpu_v3.clock_hz / clock_hz": numbers and values, multiplied and
/// divided from the left. Throws InputError that names `file` and `place` for anything else.
std::vector<DerivationFactor> read_derivation(const std::string& text, const std::string& file,
                                              const std::string& place);

/// A number of a preset with the limits between which it lies; both null where it has none.
struct DerivedNumber {
    Json value;
    Json low;
    Json high;
};

/// Computes the numbers of a preset's file, those that are derived from others included: from
/// values of the same file, and of embedded presets.
class Derivations {
public:
    /// Reads a document that obeys the schema; `file` names it in messages.
    Derivations(const Json& document, const std::string& file)
        : values_(document.at("values")),
          file_(file)
    {
    }

    /// Throws InputError for a value that does not exist, is no number, or is derived from itself;
    /// and for one that is written and not within 1 % of what it is derived from.
    DerivedNumber number(const std::string& key) const { return number("", key); }

private:
    struct Product {
        double number = 1;
        bool whole = true;       ///< all factors are whole numbers
        DerivedNumber reference; ///< the first value of another chip that has limits, if any
    };

    DerivedNumber number(const std::string& chip, const std::string& key) const;
    DerivedNumber derived(const std::string& chip, const std::string& key, const Json& entry) const;
    /// `own`: what "value" stands for; null where it stands for nothing.
    Product product(const std::string& text, const std::string& chip, const std::string& place,
                    const Json* own) const;
    /// A limit as it is written: a number, or a derivation in which "value" is the value itself.
    Json limit(const Json& written, const std::string& chip, const std::string& place,
               const Json& value) const;
    const Json& entry_of(const std::string& chip, const std::string& key) const;

    const Json& values_;
    const std::string& file_;
    mutable std::vector<std::string> under_way_; ///< what is being derived, outermost first
};

} // namespace alxsim::topologies
