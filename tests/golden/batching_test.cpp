// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/dense_batches.h"

#include "base/input_error.h"
#include "golden_files.h"

#include <gtest/gtest.h>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

/// The examples of a case; a matrix row is an example's place, its id stands in `ids`.
struct Examples {
    SparseMatrix links;
    SparseMatrix truths;
    Ids ids;
    Ids places;
};

Examples read_examples(const Json& golden)
{
    Examples result;
    for (const Json& example : golden.at("examples")) {
        result.places.push_back(result.links.rows);
        result.ids.push_back(example.at(0).get<std::int32_t>());
        result.links.append(example.at(1).get<Ids>());
        result.truths.append(golden.at("is_test").get<bool>() ? example.at(2).get<Ids>() : Ids());
    }
    return result;
}

DenseBatches batch(const Json& golden, const Examples& examples)
{
    const BatchGeometry geometry{golden.at("batch_size"), golden.at("seq_len"),
                                 golden.at("num_rows_per_batch")};
    BatchSource source{&examples.links, examples.places, "lines", "row"};
    if (golden.at("is_test").get<bool>()) {
        source.ground_truth = &examples.truths;
        source.ground_truth_lines = golden.at("ground_truth_batch_size");
    }
    Semantics semantics;
    semantics.admission = Admission::spare_line;
    semantics.device_padding =
        golden.at("num_devices").is_null() ? DevicePadding::when_needed : DevicePadding::always;
    const int devices =
        golden.at("num_devices").is_null() ? 1 : golden.at("num_devices").get<int>();
    return make_dense_batches(source, geometry, semantics, devices);
}

void compare(const Json& golden, const Examples& examples, const DenseBatches& batches)
{
    ASSERT_EQ(batches.batches.size(), golden.at("batches").size());
    EXPECT_EQ(batches.filled, golden.at("num_batches_before_padding").get<std::int64_t>());
    for (std::size_t i = 0; i < batches.batches.size(); ++i) {
        const Json& expected = golden.at("batches").at(i);
        ExpandedBatch found = expand(batches, i, examples.links);
        for (std::int32_t& row : found.row_ids) {
            row = row < 0 ? row : examples.ids[static_cast<std::size_t>(row)];
        }
        EXPECT_EQ(found.batched_history, expected.at("batched_history").get<Ids>());
        EXPECT_EQ(found.batch_ids, expected.at("batch_ids").get<Ids>());
        EXPECT_EQ(found.row_ids, expected.at("row_ids").get<Ids>());
        EXPECT_EQ(found.item_lengths, expected.at("item_lengths").get<Ids>());
        if (golden.at("is_test").get<bool>() && static_cast<std::int64_t>(i) < batches.filled) {
            const DenseLines truths =
                lay_out(examples.truths, batches.pieces(batches.batches[i], examples.truths),
                        golden.at("ground_truth_batch_size"), golden.at("seq_len"));
            EXPECT_EQ(truths.ids, expected.at("batched_ground_truths").get<Ids>());
            EXPECT_EQ(truths.slots, expected.at("ground_truth_batch_ids").get<Ids>());
        }
    }
}

TEST(GoldenBatching, EveryCaseOfTheReleasedCode)
{
    for (const Json& golden : golden_json("d_batching/cases.json")) {
        SCOPED_TRACE(golden.at("name").get<std::string>());
        const Examples examples = read_examples(golden);
        if (golden.contains("error")) {
            EXPECT_THROW(batch(golden, examples), InputError);
        } else {
            compare(golden, examples, batch(golden, examples));
        }
    }
}

} // namespace
} // namespace alxsim::alx
