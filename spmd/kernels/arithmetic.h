// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the sources of this folder alone: see README.md.

#include <cstdint>
#include <cstring>

#if defined(__FMA__) || defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA)
#include <arm_neon.h>
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define ALXSIM_HAS_FMA 1
#else
#define ALXSIM_HAS_FMA 0
#endif

namespace alxsim::spmd {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
constexpr int vector_registers = 32;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
constexpr int vector_registers = 16;
#else
constexpr int vector_bytes = 16;
constexpr int vector_registers = 16;
#endif

/// As many numbers as a vector register holds (a GCC and Clang extension).
using FloatPack = float __attribute__((vector_size(vector_bytes)));
using DoublePack = double __attribute__((vector_size(vector_bytes)));

/// A number without a pack is its own.
template <class Real>
struct PackOf {
    using Type = Real;
    static constexpr int width = 1;
};
template <>
struct PackOf<float> {
    using Type = FloatPack;
    static constexpr int width = vector_bytes / static_cast<int>(sizeof(float));
};
template <>
struct PackOf<double> {
    using Type = DoublePack;
    static constexpr int width = vector_bytes / static_cast<int>(sizeof(double));
};
template <class Real>
using Pack = typename PackOf<Real>::Type;

template <class Real>
[[gnu::always_inline]] inline Pack<Real> load(const Real* from)
{
    Pack<Real> pack;
    __builtin_memcpy(&pack, from, sizeof pack);
    return pack;
}

template <class Real>
[[gnu::always_inline]] inline void store(Real* to, const Pack<Real>& pack)
{
    __builtin_memcpy(to, &pack, sizeof pack);
}

template <class Real>
[[gnu::always_inline]] inline Pack<Real> broadcast(Real number)
{
    if constexpr (PackOf<Real>::width == 1) {
        return number;
    } else {
        return number - Pack<Real>{}; // minus, because -0 - 0 is -0
    }
}

// multiply_add(a, b, c) = a b + c. In f32 rounded once; in other numbers the product is rounded,
// too. multiply_add_exact is the fastest that is right where the product needs no rounding.

#if ALXSIM_HAS_FMA

[[gnu::always_inline]] inline float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

[[gnu::always_inline]] inline FloatPack multiply_add(FloatPack a, FloatPack b, FloatPack c)
{
#if defined(__AVX512F__)
    return static_cast<FloatPack>(
        _mm512_fmadd_ps(static_cast<__m512>(a), static_cast<__m512>(b), static_cast<__m512>(c)));
#elif defined(__FMA__)
    return static_cast<FloatPack>(
        _mm256_fmadd_ps(static_cast<__m256>(a), static_cast<__m256>(b), static_cast<__m256>(c)));
#else
    return vfmaq_f32(c, a, b);
#endif
}

[[gnu::always_inline]] inline FloatPack multiply_add_exact(FloatPack a, FloatPack b, FloatPack c)
{
    return multiply_add(a, b, c);
}

[[gnu::always_inline]] inline DoublePack multiply_add_exact(DoublePack a, DoublePack b,
                                                            DoublePack c)
{
#if defined(__AVX512F__)
    return static_cast<DoublePack>(
        _mm512_fmadd_pd(static_cast<__m512d>(a), static_cast<__m512d>(b), static_cast<__m512d>(c)));
#elif defined(__FMA__)
    return static_cast<DoublePack>(
        _mm256_fmadd_pd(static_cast<__m256d>(a), static_cast<__m256d>(b), static_cast<__m256d>(c)));
#else
    return vfmaq_f64(c, a, b);
#endif
}

#elif defined(__SSE2__)

/// p + c, rounded to the neighbour whose last bit is 1 where it is not exact: a later rounding to
/// f32 then rounds as if it were the only one (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums", IEEE TC 2008).
[[gnu::always_inline]] inline __m128d add_to_odd(__m128d p, __m128d c)
{
    const __m128d sum = _mm_add_pd(p, c);
    const __m128d part = _mm_sub_pd(sum, p);
    const __m128d error = _mm_add_pd(_mm_sub_pd(p, _mm_sub_pd(sum, part)), _mm_sub_pd(c, part));
    const __m128d zero = _mm_setzero_pd();
    const __m128d above = _mm_cmpgt_pd(error, zero); // neither holds of NaN
    const __m128d below = _mm_cmplt_pd(error, zero);
    const __m128d negative = _mm_cmplt_pd(sum, zero);
    const __m128i grows =
        _mm_castpd_si128(_mm_or_pd(_mm_andnot_pd(negative, above), _mm_and_pd(negative, below)));
    const __m128i shrinks =
        _mm_castpd_si128(_mm_or_pd(_mm_and_pd(negative, above), _mm_andnot_pd(negative, below)));
    const __m128i bits = _mm_castpd_si128(sum);
    const __m128i one = _mm_set_epi32(0, 1, 0, 1);
    const __m128i is_even = _mm_sub_epi64(_mm_and_si128(bits, one), one); // all ones if so
    const __m128i change = _mm_and_si128(is_even, _mm_sub_epi64(shrinks, grows));
    return _mm_castsi128_pd(_mm_add_epi64(bits, change));
}

[[gnu::always_inline]] inline FloatPack multiply_add(FloatPack a, FloatPack b, FloatPack c)
{
    const auto x = static_cast<__m128>(a);
    const auto y = static_cast<__m128>(b);
    const auto z = static_cast<__m128>(c);
    const __m128d low = add_to_odd(_mm_mul_pd(_mm_cvtps_pd(x), _mm_cvtps_pd(y)), _mm_cvtps_pd(z));
    const __m128d high =
        add_to_odd(_mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps(x, x)), _mm_cvtps_pd(_mm_movehl_ps(y, y))),
                   _mm_cvtps_pd(_mm_movehl_ps(z, z)));
    return static_cast<FloatPack>(_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)));
}

[[gnu::always_inline]] inline float multiply_add(float a, float b, float c)
{
    const __m128d sum =
        add_to_odd(_mm_set_sd(static_cast<double>(a) * static_cast<double>(b)), _mm_set_sd(c));
    return _mm_cvtss_f32(_mm_cvtpd_ps(sum));
}

#else

[[gnu::always_inline]] inline float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

[[gnu::always_inline]] inline FloatPack multiply_add(FloatPack a, FloatPack b, FloatPack c)
{
    FloatPack sum = c;
    for (int i = 0; i < PackOf<float>::width; ++i) {
        sum[i] = multiply_add(a[i], b[i], c[i]);
    }
    return sum;
}

#endif

/// Any other number.
template <class Number>
[[gnu::always_inline]] inline Number multiply_add(Number a, Number b, Number c)
{
    return a * b + c;
}

template <class Number>
[[gnu::always_inline]] inline Number multiply_add_exact(Number a, Number b, Number c)
{
    return a * b + c;
}

/// How a tile adds a product to its sum.
struct Rounded {
    template <class Number>
    [[gnu::always_inline]] static Number add(Number a, Number b, Number c)
    {
        return multiply_add(a, b, c);
    }
};
struct ExactProducts {
    template <class Number>
    [[gnu::always_inline]] static Number add(Number a, Number b, Number c)
    {
        return multiply_add_exact(a, b, c);
    }
};

/// Bit i: whether a[i] > b[i], which nothing is of NaN.
[[gnu::always_inline]] inline std::uint32_t greater(FloatPack a, FloatPack b)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(static_cast<__m512>(a), static_cast<__m512>(b), _CMP_GT_OQ);
#elif defined(__AVX__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(
        _mm256_cmp_ps(static_cast<__m256>(a), static_cast<__m256>(b), _CMP_GT_OQ)));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(
        _mm_movemask_ps(_mm_cmpgt_ps(static_cast<__m128>(a), static_cast<__m128>(b))));
#else
    std::uint32_t bits = 0;
    for (int i = 0; i < PackOf<float>::width; ++i) {
        bits |= static_cast<std::uint32_t>(a[i] > b[i]) << i;
    }
    return bits;
#endif
}

/// In what sums of products are kept until they are complete: those of bf16 numbers in f32, as on
/// the MXU and in XLA's reductions.
template <class Real>
struct SumOf {
    using Type = Real;
};
template <>
struct SumOf<Bf16Number> {
    using Type = float;
};

/// sum x[i] y[i]: sixteen partial sums, added in order. `length` is a multiple of 16.
inline float dot(const float* x, const float* y, std::int64_t length)
{
    constexpr int width = PackOf<float>::width;
    constexpr int packs = 16 / width;
    FloatPack sums[packs] = {};
    for (int i = 0; i < length; i += 16) {
        for (int v = 0; v < packs; ++v) {
            sums[v] = multiply_add(load(x + i + v * width), load(y + i + v * width), sums[v]);
        }
    }
    float parts[16];
    __builtin_memcpy(parts, sums, sizeof parts);
    float sum = 0;
    for (const float part : parts) {
        sum += part;
    }
    return sum;
}

/// In order. For validation in f64 and what-ifs in bf16: not tuned.
template <class Real>
Real dot(const Real* x, const Real* y, std::int64_t length)
{
    typename SumOf<Real>::Type sum(0);
    for (int i = 0; i < length; ++i) {
        sum += static_cast<typename SumOf<Real>::Type>(x[i]) *
               static_cast<typename SumOf<Real>::Type>(y[i]);
    }
    return static_cast<Real>(sum);
}

[[gnu::always_inline]] inline float square_root(float x)
{
    return __builtin_sqrtf(x);
}
[[gnu::always_inline]] inline double square_root(double x)
{
    return __builtin_sqrt(x);
}
[[gnu::always_inline]] inline Bf16Number square_root(Bf16Number x)
{
    return sqrt(x);
}

template <class Real>
[[gnu::always_inline]] inline Real magnitude(Real x)
{
    return x < Real(0) ? -x : x;
}

} // namespace
} // namespace alxsim::spmd
