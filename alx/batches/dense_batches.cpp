// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/dense_batches.h"

#include "base/input_error.h"
#include "base/units.h"
#include "base/work/stop.h"

#include <algorithm>
#include <numeric>

namespace alxsim::alx {

BatchPacker::BatchPacker(const BatchGeometry& geometry, Admission admission,
                         std::int64_t ground_truth_lines)
    : geometry_(geometry),
      admission_(admission),
      ground_truth_lines_(ground_truth_lines)
{
}

std::int64_t BatchPacker::lines_taken(std::int64_t length) const
{
    return ceil_divide(length, geometry_.line_length);
}

std::int64_t BatchPacker::lines_needed(std::int64_t length) const
{
    return admission_ == Admission::exact ? lines_taken(length)
                                          : length / geometry_.line_length + 1;
}

bool BatchPacker::add(std::int64_t length, std::int64_t ground_truth_length)
{
    const bool truth_full = ground_truth_lines_ > 0 &&
                            truths_ + lines_needed(ground_truth_length) > ground_truth_lines_;
    const bool starts_batch =
        lines_ + lines_needed(length) > geometry_.lines || rows_ + 1 > geometry_.rows || truth_full;
    if (starts_batch) {
        lines_ = rows_ = truths_ = 0;
    }
    lines_ += lines_taken(length);
    truths_ += lines_taken(ground_truth_length);
    ++rows_;
    return starts_batch;
}

double DenseBatches::density() const
{
    const std::int64_t slots = filled * geometry.lines * geometry.line_length;
    return slots == 0 ? 0.0 : static_cast<double>(links) / static_cast<double>(slots);
}

namespace {

/// A row must fit one batch, whatever the admission rule asks for.
void require_fit(const BatchSource& source, const char* what, std::int32_t row, std::int64_t length,
                 std::int64_t lines, std::int64_t line_length)
{
    if (ceil_divide(length, line_length) > lines) {
        throw InputError("", source.pointer,
                         "found " + std::to_string(lines) + ", but " + source.kind + " " +
                             std::to_string(row) + " has " + std::to_string(length) + " " + what +
                             " and a batch of " + std::to_string(lines) + " lines of " +
                             std::to_string(line_length) + " holds " +
                             std::to_string(lines * line_length) + "; allowed are " +
                             std::to_string(ceil_divide(length, line_length)) + " lines or more" +
                             source.way_out);
    }
}

/// Packs examples [first, end) of the result into batches.
std::vector<BatchRange> pack(const BatchSource& source, const BatchGeometry& geometry,
                             const Semantics& semantics, std::size_t first, DenseBatches& result)
{
    std::vector<BatchRange> ranges{{static_cast<std::int64_t>(first), 0}};
    BatchPacker packer(geometry, semantics.admission, source.ground_truth_lines);
    StopLook stop;
    for (std::size_t i = first; i < result.examples.size(); ++i) {
        stop();
        const std::int32_t row = result.examples[i];
        const std::int64_t length = source.links->length(row);
        const std::int64_t truths = source.ground_truth ? source.ground_truth->length(row) : 0;
        require_fit(source, "links", row, length, geometry.lines, geometry.line_length);
        if (source.ground_truth) {
            require_fit(source, "ground-truth links", row, truths, source.ground_truth_lines,
                        geometry.line_length);
        }
        if (packer.add(length, truths)) {
            ranges.push_back({static_cast<std::int64_t>(i), 0});
        }
        ++ranges.back().count;
        result.links += length;
    }
    return ranges;
}

void pad_for_devices(DenseBatches& result, DevicePadding padding, std::int64_t devices)
{
    const std::int64_t rest = result.filled % devices;
    const std::int64_t missing = devices - rest;
    if (rest != 0 || padding == DevicePadding::always) {
        result.batches.resize(static_cast<std::size_t>(result.filled + missing));
    }
}

} // namespace

DenseBatches make_dense_batches(BatchSource source, const BatchGeometry& geometry,
                                const Semantics& semantics, int devices)
{
    DenseBatches result;
    result.geometry = geometry;
    result.examples = std::move(source.examples);
    result.batches = pack(source, geometry, semantics, 0, result);
    result.filled = static_cast<std::int64_t>(result.batches.size());
    pad_for_devices(result, semantics.device_padding, devices);
    return result;
}

DenseBatches make_owner_batches(const BatchSource& source,
                                const std::vector<std::vector<std::int32_t>>& groups,
                                const std::vector<std::vector<int>>& deal_to,
                                const BatchGeometry& geometry, const Semantics& semantics,
                                int devices)
{
    DenseBatches result;
    result.geometry = geometry;
    std::vector<std::vector<BatchRange>> of_group;
    std::size_t steps = 1;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const std::size_t first = result.examples.size();
        result.examples.insert(result.examples.end(), groups[group].begin(), groups[group].end());
        of_group.emplace_back();
        if (groups[group].empty()) {
            continue;
        }
        of_group.back() = pack(source, geometry, semantics, first, result);
        const std::size_t batches = of_group.back().size();
        result.filled += static_cast<std::int64_t>(batches);
        const std::size_t holders = deal_to[group].size();
        const bool one_more =
            semantics.device_padding == DevicePadding::always && batches % holders == 0;
        steps = std::max(steps, (batches + holders - 1) / holders + (one_more ? 1 : 0));
    }
    result.batches.resize(steps * static_cast<std::size_t>(devices));
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const std::vector<int>& holders = deal_to[group];
        for (std::size_t i = 0; i < of_group[group].size(); ++i) {
            const auto device = static_cast<std::size_t>(holders[i % holders.size()]);
            result.batches[i / holders.size() * static_cast<std::size_t>(devices) + device] =
                of_group[group][i];
        }
    }
    return result;
}

DenseLines lay_out(const SparseMatrix& matrix, const std::int32_t* rows, std::int64_t count,
                   std::int64_t lines, std::int64_t line_length)
{
    DenseLines result;
    result.ids.assign(static_cast<std::size_t>(lines * line_length), -1);
    result.slots.assign(static_cast<std::size_t>(lines), static_cast<std::int32_t>(count - 1));
    std::int64_t line = 0;
    for (std::int64_t slot = 0; slot < count; ++slot) {
        const std::int32_t row = rows[slot];
        matrix.lists.read(row, result.ids.data() + line * line_length);
        const std::int64_t taken = ceil_divide(matrix.length(row), line_length);
        std::fill_n(result.slots.begin() + line, taken, static_cast<std::int32_t>(slot));
        line += taken;
    }
    return result;
}

ExpandedBatch expand(const DenseBatches& batches, std::size_t index, const SparseMatrix& matrix)
{
    const BatchRange& range = batches.batches[index];
    const BatchGeometry& geometry = batches.geometry;
    const std::int32_t* rows = batches.examples.data() + range.first;
    DenseLines lines = lay_out(matrix, rows, range.count, geometry.lines, geometry.line_length);
    ExpandedBatch result{std::move(lines.ids), std::move(lines.slots), {}, {}};
    result.row_ids.assign(static_cast<std::size_t>(geometry.rows), -1);
    result.item_lengths.assign(static_cast<std::size_t>(geometry.rows), 0);
    for (std::int64_t slot = 0; slot < range.count; ++slot) {
        result.row_ids[static_cast<std::size_t>(slot)] = rows[slot];
        result.item_lengths[static_cast<std::size_t>(slot)] =
            static_cast<std::int32_t>(matrix.length(rows[slot]));
    }
    // The first batch of a list may be empty because its row asked for a new one.
    if (range.count == 0 && index > 0) {
        // Device padding is the released code's example (-1, [-1]): one link that is itself
        // padding.
        std::fill(result.batch_ids.begin(), result.batch_ids.end(), 0);
        result.item_lengths[0] = 1;
    }
    return result;
}

} // namespace alxsim::alx
