// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/batches_json.h"

#include "base/input_error.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

/// A field of a batching case, of the type asked for.
template <class T>
T field(const Json& request, const char* name, const std::string& file, const char* allowed)
{
    try {
        return request.at(name).get<T>();
    } catch (const Json::exception&) {
        throw InputError(
            file, "/" + std::string(name),
            (request.contains(name) ? "found " + request.at(name).dump() : "is missing") +
                "; allowed: " + allowed);
    }
}

std::int64_t positive(const Json& request, const char* name, const std::string& file)
{
    const auto value = field<std::int64_t>(request, name, file, "a whole number >= 1");
    if (value < 1) {
        throw InputError(file, "/" + std::string(name),
                         "found " + std::to_string(value) + "; allowed: a whole number >= 1");
    }
    return value;
}

/// Examples as rows of matrices; a row's place is its example's, its id stands in `ids`.
struct Examples {
    SparseMatrix links;
    SparseMatrix truths;
    Ids ids;
    Ids places;
};

Examples read_examples(const Json& request, bool is_test, const std::string& file)
{
    Examples result;
    const Json list = field<Json>(request, "examples", file, "a list");
    for (const Json& example : list) {
        try {
            result.places.push_back(result.links.rows);
            result.ids.push_back(example.at(0).get<std::int32_t>());
            result.links.append(example.at(1).get<Ids>());
            result.truths.append(is_test ? example.at(2).get<Ids>() : Ids());
        } catch (const Json::exception&) {
            throw InputError(file, "/examples/" + std::to_string(result.places.size() - 1),
                             "found " + example.dump() + "; allowed: [row id, [ids]" +
                                 (is_test ? ", [ids of the ground truth]]" : "]"));
        }
    }
    return result;
}

} // namespace

Json batches_json(const DenseBatches& batches, const SparseMatrix& links, const Ids& ids,
                  const SparseMatrix* ground_truth, std::int64_t ground_truth_lines)
{
    Json all = Json::array();
    for (std::size_t i = 0; i < batches.batches.size(); ++i) {
        ExpandedBatch batch = expand(batches, i, links);
        for (std::int32_t& row : batch.row_ids) {
            row = row < 0 || ids.empty() ? row : ids[static_cast<std::size_t>(row)];
        }
        Json one{{"batched_history", batch.batched_history},
                 {"batch_ids", batch.batch_ids},
                 {"row_ids", batch.row_ids},
                 {"item_lengths", batch.item_lengths}};
        if (ground_truth) {
            DenseLines truths =
                lay_out(*ground_truth, batches.pieces(batches.batches[i], *ground_truth),
                        ground_truth_lines, batches.geometry.line_length);
            if (static_cast<std::int64_t>(i) >= batches.filled) {
                std::fill(truths.slots.begin(), truths.slots.end(), 0);
            }
            one["batched_ground_truths"] = truths.ids;
            one["ground_truth_batch_ids"] = truths.slots;
        }
        all.push_back(std::move(one));
    }
    return all;
}

Json batch_case(const Json& request, const std::string& file)
{
    const bool is_test = request.is_object() && request.value("is_test", false);
    const Examples examples = read_examples(request, is_test, file);
    const BatchGeometry geometry{positive(request, "batch_size", file),
                                 positive(request, "seq_len", file),
                                 positive(request, "num_rows_per_batch", file)};
    BatchSource source{&examples.links, examples.places, "/batch_size", "row"};
    if (is_test) {
        source.ground_truth = &examples.truths;
        source.ground_truth_lines = positive(request, "ground_truth_batch_size", file);
    }
    const bool pads = request.contains("num_devices") && !request.at("num_devices").is_null();
    Semantics semantics;
    semantics.admission = Admission::spare_line;
    semantics.device_padding = pads ? DevicePadding::always : DevicePadding::when_needed;
    const int devices = pads ? static_cast<int>(positive(request, "num_devices", file)) : 1;
    const std::int64_t truth_lines = source.ground_truth_lines;
    const DenseBatches batches = make_dense_batches(source, geometry, semantics, devices);
    return {{"batches", batches_json(batches, examples.links, examples.ids,
                                     is_test ? &examples.truths : nullptr, truth_lines)},
            {"num_batches_before_padding", batches.filled}};
}

} // namespace alxsim::alx
