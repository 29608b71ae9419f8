// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/step_traffic.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/registry.h"
#include "alx/strategies/gather_numbers.h"
#include "alx/strategies/row_transfer.h"
#include "base/json_document.h"
#include "model/graph/op_graph.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

/// The gather of one batch step: every device needs `slots` rows of a table that is cut into
/// shards, one for each device of its row group.
struct GatherShape {
    int devices = 1;        ///< of a row group: those that hold the table together
    std::int64_t slots = 0; ///< ids per batch, padding included: lines * line_length
    int dim = 0;            ///< of the rows that a device holds
    model::DType dtype = model::DType::bf16; ///< of the table
    std::int64_t shard_rows = 0;
    model::Name table;                    ///< the buffer of the shard
    const DeviceMesh* mesh = nullptr;     ///< of all devices
    const StepTraffic* traffic = nullptr; ///< what the strategy's needs() say
    model::Name ids = "batch.ids";
    model::Name rows = "gather.rows"; ///< the buffer that the batch's rows are written to
    RowTransfer transfer;             ///< of a row that is looked up in the shard

    Bytes row_bytes() const { return model::size_of(dtype) * dim; }
    Bytes table_bytes() const { return row_bytes() * shard_rows; }
    /// The rows of one device's batch.
    Bytes batch_bytes() const { return row_bytes() * slots; }
    std::int64_t batch_numbers() const { return slots * dim; }
};

/// How the rows of the fixed table come to the devices that need them: ops, numbers and options of
/// its own. All variants yield the same numbers, up to the order of sums where numbers() says so:
/// what differs are the ops, and with them time and memory.
class GatherStrategy {
public:
    virtual ~GatherStrategy() = default;

    /// The schema of the section of a study that has the strategy's name: an object of whole
    /// numbers, AlxConfig::gather_options. Null if it has no options.
    virtual Json options_schema() const { return nullptr; }
    /// Throws InputError for what does not go together with it.
    virtual void check(const AlxConfig&, const DeviceMesh&) const {}
    virtual std::unique_ptr<const GatherNumbers> numbers(const AlxConfig&, const DeviceMesh&) const
    {
        return std::make_unique<GatherNumbers>();
    }

    /// What of the data the ops' sizes follow; nothing if they follow from the geometry alone.
    virtual TrafficNeeds needs(const AlxConfig&, const DeviceMesh&) const { return {}; }

    /// What the host sends along with a batch.
    virtual Bytes extra_infeed(const GatherShape&) const { return Bytes(0); }

    /// Adds the ops, which follow op `after`: they read the shard and `shape.ids`, and write
    /// `shape.rows` in the table's dtype. Returns the index of the last op.
    virtual int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const = 0;

    /// Adds the ops of statistics that are not made of gathered rows, summed onto
    /// "statistics.gramians" and "statistics.rhs" after `summed`; they may start after `fed`.
    /// Returns the ops to wait for.
    virtual std::vector<int> add_statistics(model::OpGraph&, const AlxConfig&, const GatherShape&,
                                            std::int64_t /*systems*/,
                                            const std::vector<int>& /*fed*/,
                                            std::vector<int> summed) const
    {
        return summed;
    }

    /// The step that goes before a half, if there is one.
    virtual std::optional<model::OpGraph> before_half(const GatherShape&) const
    {
        return std::nullopt;
    }
};

const Registry<GatherStrategy>& gather_strategies();

/// Bytes of an id on a device.
constexpr int id_bytes = 4;
/// The same in the records of the released code, int64 lists in TFRecords.
constexpr int record_id_bytes = 8;
/// What a link's weight takes, f32, in a batch and beside its id in a record.
constexpr int weight_bytes = 4;

/// Adds the all-gather of the batches' ids if there is more than one device; returns the op to wait
/// for.
int add_id_exchange(model::OpGraph& graph, const GatherShape& shape, int after);

/// Adds a device's look-up of `slots` ids in its own shard, `owned` of which are its own, and the
/// multiplication by the ownership mask; writes `output`. The released code clamps ids that a
/// device does not own, so that those look-ups hit the shard's edge rows. As the TPU's compiler
/// makes it (libtpu 0.0.42.1, v2 to v6e): three small ops on the ids, the look-up, and a product
/// with the mask that is an op of its own. Returns the index of the last op.
int add_masked_lookup(model::OpGraph& graph, const GatherShape& shape, std::int64_t slots,
                      std::int64_t owned, model::Name output, std::vector<int> after);

/// The gather of a device that has the whole table: a masked look-up of its batch.
int add_local_gather(model::OpGraph& graph, const GatherShape& shape, int after);

/// The look-up of the batches of the whole group, as direct gathers do it: writes
/// "gather.looked_up", [devices x slots x dim]. Returns the index of the last op.
int add_lookup_for_all(model::OpGraph& graph, const GatherShape& shape, int after);

} // namespace alxsim::alx
