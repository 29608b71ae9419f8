// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace alxsim::hlo {

/// Types of elements, by XLA's names (xla_data.proto, PrimitiveType).
enum class DType {
    pred,
    s1,
    s2,
    s4,
    s8,
    s16,
    s32,
    s64,
    u1,
    u2,
    u4,
    u8,
    u16,
    u32,
    u64,
    f4e2m1fn,
    f8e3m4,
    f8e4m3,
    f8e4m3fn,
    f8e4m3fnuz,
    f8e4m3b11fnuz,
    f8e5m2,
    f8e5m2fnuz,
    f8e8m0fnu,
    f16,
    bf16,
    f32,
    f64,
    c64,
    c128,
    token,
    opaque,
    tuple
};

std::string_view name_of(DType dtype);
/// Returns those of an element; 0 of what is no array.
int bits_of(DType dtype);

/// Memory spaces, S(n) of a layout. Others are scalar memory (4, 6, 7).
namespace space {
constexpr int hbm = 0;
constexpr int vmem = 1;
constexpr int semaphores = 2;
constexpr int cmem = 3; ///< of v4: on the chip, as VMEM
constexpr int host = 5;
constexpr int sparse_core = 8;
} // namespace space

/// f32[8,128]{1,0:T(8,128)S(1)}, or a tuple of such.
struct Shape {
    DType dtype = DType::tuple;
    std::vector<std::int64_t> dims;
    std::vector<int> minor_to_major;              ///< empty: as dims, the last is minor
    std::vector<std::vector<std::int64_t>> tiles; ///< T(8,128)(2,1), the first is the outer
    int memory_space = space::hbm;
    std::vector<Shape> elements; ///< of a tuple
    std::size_t leaves = 1;      ///< arrays and tokens in it, tuples in tuples counted through

    bool is_tuple() const { return dtype == DType::tuple; }
    bool is_array() const { return !is_tuple() && bits_of(dtype) > 0; }
};

/// Elements of an array, 1 of a scalar; 0 of tokens; of a tuple, of all in it. Saturates, as the
/// next two.
std::int64_t elements_of(const Shape& shape);
/// Bytes without padding; elements of four bits take half a byte. What an op reads and writes.
std::int64_t unpadded_bytes(const Shape& shape);
/// Bytes with dimensions rounded up to the first tile, which memory of this shape takes.
std::int64_t padded_bytes(const Shape& shape);

/// Where element `index` of a tuple begins among its leaves.
std::size_t first_leaf(const Shape& tuple, std::size_t index);
/// The arrays and tokens of a shape, in order.
std::vector<const Shape*> leaves_of(const Shape& shape);

} // namespace alxsim::hlo
