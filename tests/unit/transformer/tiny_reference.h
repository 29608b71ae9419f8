// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "workloads/transformer/model_size.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// What tests/golden/data/workloads/transformer/transformer_reference.py found of one tiny model.
struct TinyReference {
    explicit TinyReference(const std::string& name);
    /// A model that the file says nothing of, in the reference's batch.
    explicit TinyReference(const ModelSize& of);

    Json golden; ///< the file
    ModelSize size;
    std::int64_t sequences = 4; ///< of the batch
    double initial_stddev = 0.1;
    std::vector<double> gradients; ///< in the order of all_parameters

    /// Returns the tokens of the batch, [sequences][length + 1].
    std::vector<std::int32_t> tokens() const;
    /// The same without the last token of each sequence, and without the first.
    std::vector<std::int32_t> inputs() const { return tokens_but(size.sequence); }
    std::vector<std::int32_t> targets() const { return tokens_but(0); }

private:
    std::vector<std::int32_t> tokens_but(std::int64_t place) const;
};

extern const std::string tiny_reference_folder;

} // namespace alxsim::transformer
