// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/shape_reader.h"

#include "base/input_error.h"
#include "workloads/import/hlo/text/counting.h"

#include <algorithm>
#include <limits>

namespace alxsim::hlo {
namespace {

constexpr int deepest_tuple = 32;
/// XLA's own limit is 2^63 bytes; so large a buffer is in no memory, and sums of these stay exact.
constexpr std::int64_t most_elements = std::int64_t{1} << 52;

DType dtype_at(TextCursor& cursor)
{
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.word("a type such as f32, bf16, s32, pred or token");
    for (int i = 0; i < static_cast<int>(DType::tuple); ++i) {
        if (name_of(static_cast<DType>(i)) == name) {
            return static_cast<DType>(i);
        }
    }
    std::vector<std::string> known;
    for (int i = 0; i < static_cast<int>(DType::tuple); ++i) {
        known.emplace_back(name_of(static_cast<DType>(i)));
    }
    cursor.fail_at(begin, join(known));
}

void read_dims(TextCursor& cursor, Shape& shape)
{
    cursor.expect('[', "behind the type");
    const std::size_t begin = cursor.position();
    std::int64_t elements = 1;
    while (!cursor.take(']')) {
        if (!shape.dims.empty()) {
            cursor.expect(',', "or ']' behind a dimension");
        }
        cursor.take("<="); // a dimension that is bounded counts as its bound
        shape.dims.push_back(cursor.number("a dimension"));
        elements = product(elements, std::max<std::int64_t>(shape.dims.back(), 1));
        if (elements > most_elements) {
            cursor.fail_at(begin, "dimensions of up to 2^52 elements together");
        }
    }
}

std::vector<std::int64_t> read_tile(TextCursor& cursor)
{
    std::vector<std::int64_t> tile;
    do {
        const std::size_t begin = cursor.position();
        if (cursor.take('*')) {
            cursor.fail_at(begin, "sizes of tiles as numbers");
        }
        tile.push_back(cursor.number("a size of a tile"));
        if (tile.back() < 1 || tile.back() > most_elements) {
            cursor.fail_at(begin, "a size of a tile from 1 to 2^52");
        }
    } while (cursor.take(','));
    cursor.expect(')', "or ',' in a tile");
    return tile;
}

/// One of what stands behind ":" in a layout, T(8,128)(2,1), S(1), E(4), SC(0:4096) and others.
void read_layout_field(TextCursor& cursor, Shape& shape)
{
    const std::size_t begin = cursor.position();
    if (cursor.take("T(")) {
        do {
            shape.tiles.push_back(read_tile(cursor));
        } while (cursor.take('('));
    } else if (cursor.take("S(")) {
        shape.memory_space = static_cast<int>(std::min<std::int64_t>(
            cursor.number("a memory space"), std::numeric_limits<int>::max()));
        cursor.expect(')', "behind the memory space");
    } else if (cursor.take("SC(") || cursor.take("E(") || cursor.take("L(") || cursor.take("D(") ||
               cursor.take("M(") || cursor.take("#(") || cursor.take("*(") || cursor.take("P(")) {
        cursor.up_to_closing('('); // bits of an element follow from its type
    } else {
        cursor.fail_at(begin, "T(..) tiles, S(..) memory space, E(..) bits of an element, SC(..) "
                              "split, L(..), D(..), M(..), P(..), #(..), *(..) or '}'");
    }
}

void read_order(TextCursor& cursor, Shape& shape)
{
    const std::size_t begin = cursor.position();
    while (cursor.peek() != ':' && cursor.peek() != '}') {
        if (!shape.minor_to_major.empty()) {
            cursor.expect(',', "in the order of dimensions");
        }
        const std::int64_t dimension = cursor.number("a dimension's number, ':' or '}'");
        const auto rank = static_cast<std::int64_t>(shape.dims.size());
        const auto& order = shape.minor_to_major;
        if (dimension >= rank ||
            std::find(order.begin(), order.end(), static_cast<int>(dimension)) != order.end()) {
            cursor.fail_at(begin,
                           "each of the " + std::to_string(rank) + " dimensions once, from 0");
        }
        shape.minor_to_major.push_back(static_cast<int>(dimension));
    }
    if (!shape.minor_to_major.empty() && shape.minor_to_major.size() != shape.dims.size()) {
        cursor.fail_at(begin, "all of the " + std::to_string(shape.dims.size()) + " dimensions");
    }
}

void read_layout(TextCursor& cursor, Shape& shape)
{
    if (!cursor.take('{')) {
        return;
    }
    read_order(cursor, shape);
    if (cursor.take(':')) {
        do {
            read_layout_field(cursor, shape);
        } while (cursor.peek() != '}');
    }
    cursor.expect('}', "at the end of the layout");
}

Shape read_at_depth(TextCursor& cursor, int depth);

Shape read_tuple(TextCursor& cursor, int depth)
{
    Shape tuple;
    tuple.leaves = 0;
    if (depth >= deepest_tuple) {
        cursor.fail("tuples in " + std::to_string(deepest_tuple) + " others at most");
    }
    cursor.skip_spaces();
    while (!cursor.take(')')) {
        if (!tuple.elements.empty()) {
            cursor.expect(',', "or ')' in a tuple's shape");
            cursor.skip_spaces();
        }
        tuple.elements.push_back(read_at_depth(cursor, depth + 1));
        tuple.leaves += tuple.elements.back().leaves;
        cursor.skip_spaces();
    }
    return tuple;
}

Shape read_at_depth(TextCursor& cursor, int depth)
{
    if (cursor.take('(')) {
        return read_tuple(cursor, depth);
    }
    Shape shape;
    shape.dtype = dtype_at(cursor);
    read_dims(cursor, shape);
    read_layout(cursor, shape);
    return shape;
}

} // namespace

Shape read_shape(TextCursor& cursor)
{
    return read_at_depth(cursor, 0);
}

Shape shape_of(std::string_view text, const std::string& file)
{
    TextCursor cursor(text, file);
    Shape shape = read_shape(cursor);
    if (!cursor.at_end()) {
        cursor.fail("the end of the shape");
    }
    return shape;
}

} // namespace alxsim::hlo
