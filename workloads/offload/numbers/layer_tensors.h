// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/request.h"
#include "workloads/offload/state_types.h"
#include "workloads/offload/store/tensor_store.h"
#include "workloads/transformer/parameters/parameters.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::offload {

/// Parameters that are read and changed together: of a layer, or, last, all that stay in HBM.
struct ParameterGroup {
    std::vector<transformer::ParameterOf> parameters;
    std::size_t elements = 0;
};

/// Bytes on their way to or from the store, for which they stay.
struct MovedTensor {
    MovedTensor() = default;
    MovedTensor(MovedTensor&& other) = default;
    MovedTensor& operator=(MovedTensor&& other) = default; ///< of one that nothing is moved to
    ~MovedTensor()
    {
        for (const PendingTransfer& transfer : under_way) {
            transfer.wait();
        }
    }

    AlignedBytes bytes;
    std::vector<PendingTransfer> under_way;

    /// Throws what went wrong.
    void wait()
    {
        std::vector<PendingTransfer> all = std::exchange(under_way, {});
        for (const PendingTransfer& transfer : all) {
            transfer.wait();
        }
        for (PendingTransfer& transfer : all) {
            transfer.get();
        }
    }
};

/// The tensors of a model in its store: of each group what the optimizer changes (`master`), its
/// moments, the weights where they are other numbers, and where updates are late its gradient; and
/// the loss of each step.
class LayerTensors {
public:
    enum class What { master, moments, weights, gradient };

    /// The file is made anew unless it `exists`. Throws as create_store() and TensorStore do.
    LayerTensors(const OffloadConfig& config, const std::vector<ParameterGroup>& groups,
                 const std::string& path, bool exists);

    /// Whether there is such a tensor, and its bytes.
    bool has(What what) const;
    std::size_t bytes(What what, std::size_t group) const;

    MovedTensor read(What what, std::size_t group);
    /// `tensor` stays until it is done.
    void write(What what, std::size_t group, MovedTensor& tensor);

    /// Returns the loss of a step that is done, counted from 1.
    double loss(int step) const;
    int steps() const;
    /// With all that was written since the step before.
    void commit(int step, std::optional<double> loss);

private:
    std::string name(What what, std::size_t group) const;
    model::DType type(What what) const;
    StoreLayout layout() const;

    StateTypes types_;
    bool keeps_gradients_;
    int steps_asked_;
    const std::vector<ParameterGroup>& groups_;
    TensorStore store_;
    AlignedBytes losses_;
};

} // namespace alxsim::offload
