// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/shape.h"

#include "workloads/import/hlo/text/counting.h"

#include <algorithm>
#include <array>

namespace alxsim::hlo {
namespace {

struct Element {
    std::string_view name;
    int bits;
};

/// In the order of DType.
constexpr std::array<Element, 33> element_types{{
    {"pred", 8},     {"s1", 1},         {"s2", 2},
    {"s4", 4},       {"s8", 8},         {"s16", 16},
    {"s32", 32},     {"s64", 64},       {"u1", 1},
    {"u2", 2},       {"u4", 4},         {"u8", 8},
    {"u16", 16},     {"u32", 32},       {"u64", 64},
    {"f4e2m1fn", 4}, {"f8e3m4", 8},     {"f8e4m3", 8},
    {"f8e4m3fn", 8}, {"f8e4m3fnuz", 8}, {"f8e4m3b11fnuz", 8},
    {"f8e5m2", 8},   {"f8e5m2fnuz", 8}, {"f8e8m0fnu", 8},
    {"f16", 16},     {"bf16", 16},      {"f32", 32},
    {"f64", 64},     {"c64", 64},       {"c128", 128},
    {"token", 0},    {"opaque", 0},     {"tuple", 0},
}};

std::int64_t bytes_of(std::int64_t elements, DType dtype)
{
    const int bits = bits_of(dtype);
    return bits % 8 == 0 ? product(elements, bits / 8) : quotient_up(product(elements, bits), 8);
}

std::int64_t padded_elements(const Shape& array)
{
    const std::size_t rank = array.dims.size();
    std::int64_t elements = 1;
    const std::size_t tiled = array.tiles.empty() ? 0 : array.tiles.front().size();
    for (std::size_t minor = 0; minor < std::max(rank, tiled); ++minor) {
        std::int64_t size = 1;
        if (minor < rank) {
            const std::size_t dimension =
                array.minor_to_major.empty()
                    ? rank - 1 - minor
                    : static_cast<std::size_t>(array.minor_to_major[minor]);
            size = array.dims[dimension];
        }
        if (minor < tiled) {
            const std::int64_t tile = array.tiles.front()[tiled - 1 - minor];
            size = product(quotient_up(size, tile), tile);
        }
        elements = product(elements, size);
    }
    return elements;
}

void add_leaves(const Shape& shape, std::vector<const Shape*>& leaves)
{
    if (!shape.is_tuple()) {
        leaves.push_back(&shape);
    }
    for (const Shape& element : shape.elements) {
        add_leaves(element, leaves);
    }
}

template <class OfArray>
std::int64_t sum_over_arrays(const Shape& shape, const OfArray& of_array)
{
    if (shape.is_array()) {
        return of_array(shape);
    }
    std::int64_t all = 0;
    for (const Shape& element : shape.elements) {
        all = sum(all, sum_over_arrays(element, of_array));
    }
    return all;
}

std::int64_t elements_of_array(const Shape& array)
{
    std::int64_t elements = 1;
    for (const std::int64_t size : array.dims) {
        elements = product(elements, size);
    }
    return elements;
}

} // namespace

std::string_view name_of(DType dtype)
{
    return element_types[static_cast<std::size_t>(dtype)].name;
}

int bits_of(DType dtype)
{
    return element_types[static_cast<std::size_t>(dtype)].bits;
}

std::int64_t elements_of(const Shape& shape)
{
    return sum_over_arrays(shape, elements_of_array);
}

std::int64_t unpadded_bytes(const Shape& shape)
{
    return sum_over_arrays(
        shape, [](const Shape& array) { return bytes_of(elements_of_array(array), array.dtype); });
}

std::int64_t padded_bytes(const Shape& shape)
{
    return sum_over_arrays(
        shape, [](const Shape& array) { return bytes_of(padded_elements(array), array.dtype); });
}

std::size_t first_leaf(const Shape& tuple, std::size_t index)
{
    std::size_t leaves = 0;
    for (std::size_t i = 0; i < index; ++i) {
        leaves += tuple.elements[i].leaves;
    }
    return leaves;
}

std::vector<const Shape*> leaves_of(const Shape& shape)
{
    std::vector<const Shape*> leaves;
    leaves.reserve(shape.leaves);
    add_leaves(shape, leaves);
    return leaves;
}

} // namespace alxsim::hlo
