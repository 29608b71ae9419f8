// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/dense_batches.h"

#include "base/input_error.h"
#include "base/units.h"
#include "base/work/stop.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <queue>
#include <utility>

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

bool BatchPacker::fits(std::int64_t length, std::int64_t ground_truth_length) const
{
    const bool truth_full = ground_truth_lines_ > 0 &&
                            truths_ + lines_needed(ground_truth_length) > ground_truth_lines_;
    return lines_ + lines_needed(length) <= geometry_.lines && rows_ + 1 <= geometry_.rows &&
           !truth_full;
}

bool BatchPacker::add(std::int64_t length, std::int64_t ground_truth_length)
{
    const bool starts_batch = !fits(length, ground_truth_length);
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

/// The batches of a group of rows.
struct Packed {
    std::vector<BatchRange> batches;
    std::vector<std::vector<BatchRange>> chains; ///< each for one device, step after step
};

/// Packs rows into batches, one after another.
class Packing {
public:
    Packing(const BatchSource& source, Admission admission, DenseBatches& result)
        : source_(source),
          geometry_(result.geometry),
          admission_(admission),
          result_(result)
    {
    }

    Packed pack(const std::vector<std::int32_t>& rows)
    {
        const auto is_long = [this](std::int32_t row) {
            return source_.splits && source_.links->length(row) > geometry_.slots();
        };
        std::vector<std::int32_t> usual;
        std::vector<std::int32_t> longer;
        std::partition_copy(rows.begin(), rows.end(), std::back_inserter(longer),
                            std::back_inserter(usual), is_long);
        Packed packed;
        next_ = usual.begin();
        for (const std::int32_t row : longer) {
            packed.chains.push_back(chain(row, usual.end()));
            result_.splits_rows = true;
        }
        if (packed.chains.empty() || next_ != usual.end()) {
            packed.batches = batches(usual.end());
        }
        return packed;
    }

private:
    using Row = std::vector<std::int32_t>::const_iterator;

    BatchPacker packer() const { return {geometry_, admission_, source_.ground_truth_lines}; }
    std::int64_t truths(std::int32_t row) const
    {
        return source_.ground_truth ? source_.ground_truth->length(row) : 0;
    }

    void take(std::int32_t row)
    {
        result_.examples.push_back(row);
        result_.links += source_.links->length(row);
    }

    /// Batches that a long row fills, and a last one, which rows that come next fill up.
    std::vector<BatchRange> chain(std::int32_t row, Row end)
    {
        const auto first = static_cast<std::int64_t>(result_.examples.size());
        const std::int64_t length = source_.links->length(row);
        const std::int64_t slots = geometry_.slots();
        std::vector<BatchRange> ranges;
        std::int64_t held = 0;
        for (; length - held > slots; held += slots) {
            ranges.push_back({first, 1, held, true});
        }
        ranges.push_back({first, 1, held, false});
        take(row);
        BatchPacker last = packer();
        last.add(length - held);
        for (; next_ != end && last.fits(source_.links->length(*next_)); ++next_) {
            last.add(source_.links->length(*next_));
            take(*next_);
            ++ranges.back().count;
        }
        return ranges;
    }

    std::vector<BatchRange> batches(Row end)
    {
        std::vector<BatchRange> ranges{{static_cast<std::int64_t>(result_.examples.size()), 0}};
        BatchPacker all = packer();
        StopLook stop;
        for (; next_ != end; ++next_) {
            stop();
            const std::int64_t length = source_.links->length(*next_);
            require_fit(source_, "links", *next_, length, geometry_.lines, geometry_.line_length);
            if (source_.ground_truth) {
                require_fit(source_, "ground-truth links", *next_, truths(*next_),
                            source_.ground_truth_lines, geometry_.line_length);
            }
            if (all.add(length, truths(*next_))) {
                ranges.push_back({static_cast<std::int64_t>(result_.examples.size()), 0});
            }
            take(*next_);
            ++ranges.back().count;
        }
        return ranges;
    }

    const BatchSource& source_;
    BatchGeometry geometry_;
    Admission admission_;
    DenseBatches& result_;
    Row next_; ///< the first row that fits a batch and stands in none yet
};

/// What each device works on, step after step.
using Lanes = std::vector<std::vector<BatchRange>>;

/// Deals batches to the devices that have least, the longest chains first; where there are none,
/// one after another.
void deal(Packed packed, const std::vector<int>& devices, Lanes& lanes)
{
    std::stable_sort(packed.chains.begin(), packed.chains.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    using Load = std::pair<std::size_t, std::size_t>; // batches, place among the devices
    std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        least.push({0, i});
    }
    const auto give = [&](const BatchRange* ranges, std::size_t count) {
        const auto [load, place] = least.top();
        least.pop();
        auto& lane = lanes[static_cast<std::size_t>(devices[place])];
        lane.insert(lane.end(), ranges, ranges + count);
        least.push({load + count, place});
    };
    for (const std::vector<BatchRange>& chain : packed.chains) {
        give(chain.data(), chain.size());
    }
    for (const BatchRange& batch : packed.batches) {
        give(&batch, 1);
    }
}

/// Batches of a group that is packed.
std::size_t size_of(const Packed& packed)
{
    std::size_t size = packed.batches.size();
    for (const std::vector<BatchRange>& chain : packed.chains) {
        size += chain.size();
    }
    return size;
}

} // namespace

RowPiece DenseBatches::piece(const BatchRange& range, std::int64_t slot,
                             const SparseMatrix& matrix) const
{
    RowPiece piece;
    piece.row = examples[static_cast<std::size_t>(range.first + slot)];
    piece.begin = slot == 0 ? range.held_before : 0;
    piece.end = range.goes_on ? piece.begin + geometry.slots() : matrix.length(piece.row);
    piece.completes = !range.goes_on;
    return piece;
}

std::vector<RowPiece> DenseBatches::pieces(const BatchRange& range,
                                           const SparseMatrix& matrix) const
{
    std::vector<RowPiece> pieces;
    for (std::int64_t slot = 0; slot < range.count; ++slot) {
        pieces.push_back(piece(range, slot, matrix));
    }
    return pieces;
}

DenseBatches make_dense_batches(BatchSource source, const BatchGeometry& geometry,
                                const Semantics& semantics, int devices)
{
    std::vector<int> all(static_cast<std::size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::vector<std::int32_t>> group{std::move(source.examples)};
    return make_owner_batches(source, group, {all}, geometry, semantics, devices);
}

DenseBatches make_owner_batches(const BatchSource& source,
                                const std::vector<std::vector<std::int32_t>>& groups,
                                const std::vector<std::vector<int>>& deal_to,
                                const BatchGeometry& geometry, const Semantics& semantics,
                                int devices)
{
    DenseBatches result;
    result.geometry = geometry;
    Packing packing(source, semantics.admission, result);
    Lanes lanes(static_cast<std::size_t>(devices));
    std::size_t steps = 1;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        if (groups[group].empty() && groups.size() > 1) {
            continue;
        }
        Packed packed = packing.pack(groups[group]);
        const std::size_t batches = size_of(packed);
        result.filled += static_cast<std::int64_t>(batches);
        deal(std::move(packed), deal_to[group], lanes);
        const bool one_more = semantics.device_padding == DevicePadding::always &&
                              batches % deal_to[group].size() == 0;
        for (const int device : deal_to[group]) {
            steps = std::max(steps,
                             lanes[static_cast<std::size_t>(device)].size() + (one_more ? 1U : 0U));
        }
    }
    result.batches.resize(steps * lanes.size());
    for (std::size_t device = 0; device < lanes.size(); ++device) {
        for (std::size_t step = 0; step < lanes[device].size(); ++step) {
            result.batches[step * lanes.size() + device] = lanes[device][step];
        }
    }
    return result;
}

DenseLines lay_out(const SparseMatrix& matrix, const std::vector<RowPiece>& pieces,
                   std::int64_t lines, std::int64_t line_length)
{
    DenseLines result;
    result.ids.assign(static_cast<std::size_t>(lines * line_length), -1);
    result.slots.assign(static_cast<std::size_t>(lines),
                        static_cast<std::int32_t>(pieces.size()) - 1);
    std::int64_t line = 0;
    std::int32_t slot = 0;
    std::vector<std::int32_t> ids;
    for (const RowPiece& piece : pieces) {
        matrix.read(piece.row, ids);
        std::copy(ids.begin() + piece.begin, ids.begin() + piece.end,
                  result.ids.begin() + line * line_length);
        const std::int64_t taken = ceil_divide(piece.links(), line_length);
        std::fill_n(result.slots.begin() + line, taken, slot++);
        line += taken;
    }
    return result;
}

ExpandedBatch expand(const DenseBatches& batches, std::size_t index, const SparseMatrix& matrix)
{
    const BatchRange& range = batches.batches[index];
    const BatchGeometry& geometry = batches.geometry;
    const std::vector<RowPiece> pieces = batches.pieces(range, matrix);
    DenseLines lines = lay_out(matrix, pieces, geometry.lines, geometry.line_length);
    ExpandedBatch result{std::move(lines.ids), std::move(lines.slots), {}, {}};
    result.row_ids.assign(static_cast<std::size_t>(geometry.rows), -1);
    result.item_lengths.assign(static_cast<std::size_t>(geometry.rows), 0);
    for (std::size_t slot = 0; slot < pieces.size(); ++slot) {
        result.row_ids[slot] = pieces[slot].row;
        result.item_lengths[slot] = static_cast<std::int32_t>(pieces[slot].links());
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
