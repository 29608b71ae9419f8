// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <optional>
#include <string>

namespace alxsim::experiments {

/// When the job writes its state to storage.
struct CheckpointRequest {
    int every = 1; ///< intervals
    double bytes_per_second = 0;
};

/// Dollars of a chip and hour.
struct ChipPrices {
    std::optional<double> on_demand;
    std::optional<double> spot;
    std::optional<double> committed;
};

/// What a study's `bill` says.
struct BillRequest {
    std::optional<int> epochs;  ///< intervals; left out: as many as the workload has
    Named<double> target;       ///< a metric and the value that ends the job; at most one
    double compile_seconds = 0; ///< before the first step, and after each failure
    std::optional<double> load_bytes_per_second; ///< of a host; left out: nothing is loaded
    std::optional<CheckpointRequest> checkpoint;
    bool evaluation = true;
    std::optional<double> hours_between_failures; ///< of the whole job; left out: none fails
    Named<ChipPrices> prices;                     ///< by chip
};

template <class Fields>
void list_fields(Fields& fields, CheckpointRequest& checkpoint)
{
    fields("every", checkpoint.every);
    fields("bytes_per_second", checkpoint.bytes_per_second);
}

template <class Fields>
void list_fields(Fields& fields, ChipPrices& prices)
{
    fields("on_demand", prices.on_demand);
    fields("spot", prices.spot);
    fields("committed", prices.committed);
}

template <class Fields>
void list_fields(Fields& fields, BillRequest& bill)
{
    fields("epochs", bill.epochs);
    fields.unless_empty("target", bill.target);
    fields("compile_seconds", bill.compile_seconds);
    fields("load_bytes_per_second", bill.load_bytes_per_second);
    fields("checkpoint", bill.checkpoint);
    fields("evaluation", bill.evaluation);
    fields("hours_between_failures", bill.hours_between_failures);
    fields.unless_empty("prices", bill.prices);
}

} // namespace alxsim::experiments
