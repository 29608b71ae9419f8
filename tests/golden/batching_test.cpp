// SPDX-License-Identifier: Apache-2.0
#include "alx/dense_batches.h"

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

void append(SparseMatrix& matrix, const Json& list)
{
    const Ids ids = list.get<Ids>();
    matrix.ids.insert(matrix.ids.end(), ids.begin(), ids.end());
    matrix.offsets.push_back(static_cast<std::int64_t>(matrix.ids.size()));
    ++matrix.rows;
}

Examples read_examples(const Json& golden)
{
    Examples result;
    for (const Json& example : golden["examples"]) {
        result.places.push_back(result.links.rows);
        result.ids.push_back(example[0].get<std::int32_t>());
        append(result.links, example[1]);
        append(result.truths, golden["is_test"].get<bool>() ? example[2] : Json::array());
    }
    return result;
}

DenseBatches batch(const Json& golden, const Examples& examples)
{
    const BatchGeometry geometry{golden["batch_size"], golden["seq_len"],
                                 golden["num_rows_per_batch"]};
    BatchSource source{&examples.links, examples.places, "lines", "row"};
    if (golden["is_test"].get<bool>()) {
        source.ground_truth = &examples.truths;
        source.ground_truth_lines = golden["ground_truth_batch_size"];
    }
    Semantics semantics;
    semantics.admission = Admission::spare_line;
    semantics.device_padding =
        golden["num_devices"].is_null() ? DevicePadding::when_needed : DevicePadding::always;
    const int devices = golden["num_devices"].is_null() ? 1 : golden["num_devices"].get<int>();
    return make_dense_batches(source, geometry, semantics, devices);
}

void compare(const Json& golden, const Examples& examples, const DenseBatches& batches)
{
    ASSERT_EQ(batches.batches.size(), golden["batches"].size());
    EXPECT_EQ(batches.filled, golden["num_batches_before_padding"].get<std::int64_t>());
    for (std::size_t i = 0; i < batches.batches.size(); ++i) {
        const Json& expected = golden["batches"][i];
        ExpandedBatch found = expand(batches, i, examples.links);
        for (std::int32_t& row : found.row_ids) {
            row = row < 0 ? row : examples.ids[static_cast<std::size_t>(row)];
        }
        EXPECT_EQ(found.batched_history, expected["batched_history"].get<Ids>());
        EXPECT_EQ(found.batch_ids, expected["batch_ids"].get<Ids>());
        EXPECT_EQ(found.row_ids, expected["row_ids"].get<Ids>());
        EXPECT_EQ(found.item_lengths, expected["item_lengths"].get<Ids>());
        if (golden["is_test"].get<bool>() && static_cast<std::int64_t>(i) < batches.filled) {
            const BatchRange& range = batches.batches[i];
            const DenseLines truths =
                lay_out(examples.truths, examples.places.data() + range.first, range.count,
                        golden["ground_truth_batch_size"], golden["seq_len"]);
            EXPECT_EQ(truths.ids, expected["batched_ground_truths"].get<Ids>());
            EXPECT_EQ(truths.slots, expected["ground_truth_batch_ids"].get<Ids>());
        }
    }
}

TEST(GoldenBatching, EveryCaseOfTheReleasedCode)
{
    ALXSIM_NEED_GOLDEN("d_batching/cases.json")
    for (const Json& golden : golden_json("d_batching/cases.json")) {
        SCOPED_TRACE(golden["name"].get<std::string>());
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
