// AVX2 kernels, which are compiled a second time with KINDRED_AVXVNNI for processors that multiply bytes in one instruction.
#include <immintrin.h>

#include "knn-kernels.h"

namespace kindred {
namespace {

#include "knn-sums.h"

constexpr int kQueries = 4;

#ifdef KINDRED_AVXVNNI
inline __m256i multiply_add(__m256i sum, __m256i codes, __m256i query) { return _mm256_dpbusd_avx_epi32(sum, codes, query); }
constexpr int kLevels = 127;
#else
// The pair sums of vpmaddubsw saturate at 16 bits, which 2 * 255 * 63 does not reach.
inline __m256i multiply_add(__m256i sum, __m256i codes, __m256i query) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(codes, query), _mm256_set1_epi16(1)));
}
constexpr int kLevels = 63;
#endif

inline int32_t word(const int8_t* p) {
  int32_t value;
  __builtin_memcpy(&value, p, 4);
  return value;
}

inline uint32_t compare(const Step& s, int q, int first, __m256i product) {
  const float* n = s.numbers[first >> 4] + (first & 15);
  const __m256 scaled = _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(product), _mm256_loadu_ps(n)), _mm256_set1_ps(s.scale[q]));
  __m256 bound = _mm256_add_ps(scaled, _mm256_loadu_ps(n + 16));
  bound = _mm256_fmadd_ps(_mm256_loadu_ps(n + 32), _mm256_set1_ps(s.on_mean[q]), bound);
  bound = _mm256_fmadd_ps(_mm256_loadu_ps(n + 48), _mm256_set1_ps(s.rest[q]), bound);
  bound = _mm256_fmadd_ps(_mm256_loadu_ps(n + 64), _mm256_set1_ps(s.length[q]), bound);
  _mm256_storeu_ps(s.bounds + q * kStepRows + first, bound);
  const __m256 near = _mm256_cmp_ps(bound, _mm256_set1_ps(s.threshold[q]), _CMP_GE_OQ);
  return static_cast<uint32_t>(_mm256_movemask_ps(near)) << first;
}

using Products = __m256i[kQueries][2];

inline __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

/// Adds the products of some words in 32 bits.
inline void add_words(Products& product, const uint8_t* codes, const int8_t* query, int64_t words) {
  for (int64_t w = 0; w < words; w++, codes += 64, query += kQueries * 4) {
    const __m256i low = load(codes), high = load(codes + 32);
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; q++) {
      const __m256i k = _mm256_set1_epi32(word(query + 4 * q));
      product[q][0] = multiply_add(product[q][0], low, k);
      product[q][1] = multiply_add(product[q][1], high, k);
    }
  }
}

inline void compare_half(const Step& s, int half, const Products& product) {
  for (int q = 0; q < kQueries; q++) {
    s.hits[q] |= compare(s, q, half * 16, product[q][0]) | compare(s, q, half * 16 + 8, product[q][1]);
  }
}

#ifndef KINDRED_AVXVNNI
/// Returns the largest of sixteen numbers.
inline uint16_t largest(__m256i numbers) {
  const __m128i max = _mm_max_epu16(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
  return static_cast<uint16_t>(~_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(max, _mm_set1_epi16(-1))), 0));
}

void squares_256(const uint8_t* codes, int64_t words, uint16_t* out) {
  const __m256i middle = _mm256_set1_epi8(-128);
  for (int64_t first = 0; first < words; first += kPartWords) {
    const int64_t end = first + kPartWords < words ? first + kPartWords : words;
    __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int64_t w = first; w < end; w++) {
      for (int i = 0; i < 2; i++) {
        const __m256i code = _mm256_abs_epi8(_mm256_xor_si256(load(codes + w * 64 + i * 32), middle));
        sum[i] = _mm256_adds_epu16(sum[i], _mm256_maddubs_epi16(code, code));
      }
    }
    *out++ = largest(_mm256_max_epu16(sum[0], sum[1]));
  }
}

/// Adds the products of a part in 16 bits. What overflows on the way does no harm, because the sum fits once 128 times the sum of the query's
/// codes is subtracted. So one product that widens follows on all those of bytes, where `multiply_add` needs one for each.
template <int kWords>
inline void add_part(Products& product, const uint8_t* codes, const int8_t* query, const int16_t* sums) {
  __m256i sum[kQueries][2] = {};
#pragma GCC unroll 8
  for (int w = 0; w < kWords; w++, codes += 64, query += kQueries * 4) {
    const __m256i low = load(codes), high = load(codes + 32);
#pragma GCC unroll 4
    for (int q = 0; q < kQueries; q++) {
      const __m256i k = _mm256_set1_epi32(word(query + 4 * q));
      const __m256i first = _mm256_maddubs_epi16(low, k), second = _mm256_maddubs_epi16(high, k);
      sum[q][0] = w == 0 ? first : _mm256_add_epi16(sum[q][0], first);
      sum[q][1] = w == 0 ? second : _mm256_add_epi16(sum[q][1], second);
      // The compiler must not choose another order of the additions, for which the registers would not suffice.
      __asm__("" : "+x"(sum[q][0]), "+x"(sum[q][1]));
    }
  }
  const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 4
  for (int q = 0; q < kQueries; q++) {
    const __m256i bias = _mm256_slli_epi16(_mm256_set1_epi32(word(reinterpret_cast<const int8_t*>(sums + 2 * q))), 7);
    product[q][0] = _mm256_add_epi32(product[q][0], _mm256_madd_epi16(_mm256_sub_epi16(sum[q][0], bias), ones));
    product[q][1] = _mm256_add_epi32(product[q][1], _mm256_madd_epi16(_mm256_sub_epi16(sum[q][1], bias), ones));
  }
}

inline bool fits(uint16_t rows, uint16_t queries) {
  return rows != kLargeSquares && static_cast<uint32_t>(rows) * queries < uint32_t{1} << 30;
}

/// Makes a step part by part, each in 16 bits where its sums fit.
void step_in_parts(const Step& s) {
  const int64_t parts = (s.words + kPartWords - 1) / kPartWords;
  for (int half = 0; half < 2; half++) {
    Products product = {};
    const uint16_t* squares = s.row_squares + half * parts;
    for (int64_t p = 0, w = 0; p < parts; p++, w += kPartWords) {
      const uint8_t* codes = s.codes[half] + w * 64;
      const int8_t* query = s.queries + w * kQueries * 4;
      const int16_t* sums = s.part_sums + p * kQueries * 2;
      const int64_t words = s.words - w < kPartWords ? s.words - w : kPartWords;
      if (words == kPartWords && fits(squares[p], s.query_squares[p])) {
        add_part<kPartWords>(product, codes, query, sums);
        continue;
      }
      for (int q = 0; q < kQueries; q++) {
        const __m256i bias = _mm256_set1_epi32(-128 * (sums[2 * q] + sums[2 * q + 1]));
        product[q][0] = _mm256_add_epi32(product[q][0], bias);
        product[q][1] = _mm256_add_epi32(product[q][1], bias);
      }
      add_words(product, codes, query, words);
    }
    compare_half(s, half, product);
  }
}
#endif

void step_256(const Step& s) {
  for (int q = 0; q < kQueries; q++) s.hits[q] = 0;
#ifndef KINDRED_AVXVNNI
  if (s.row_squares) return step_in_parts(s);
#endif
  for (int half = 0; half < 2; half++) {
    Products product;
    for (int q = 0; q < kQueries; q++) product[q][0] = product[q][1] = _mm256_set1_epi32(s.bias[q]);
    add_words(product, s.codes[half], s.queries, s.words);
    compare_half(s, half, product);
  }
}

}  // namespace

#ifdef KINDRED_AVXVNNI
const KnnKernels knn_avxvnni = {"avxvnni", kQueries, kLevels, step_256, nullptr, dot_sum, square_sum};
#else
const KnnKernels knn_avx2 = {"avx2", kQueries, kLevels, step_256, squares_256, dot_sum, square_sum};
#endif

}  // namespace kindred
