// AVX-512 VNNI kernels, which multiply fourteen queries by thirty-two references in 28 registers.
#include <immintrin.h>

#include "knn-kernels.h"

namespace kindred {
namespace {

#include "knn-sums.h"

constexpr int kQueries = 14;

inline int32_t word(const int8_t* p) {
  int32_t value;
  __builtin_memcpy(&value, p, 4);
  return value;
}

void step_512(const Step& s) {
  __m512i product[kQueries][2];
#pragma GCC unroll 14
  for (int q = 0; q < kQueries; q++) product[q][0] = product[q][1] = _mm512_set1_epi32(s.bias[q]);
  const uint8_t *low = s.codes[0], *high = s.codes[1];
  const int8_t* query = s.queries;
  for (int64_t w = 0; w < s.words; w++, low += 64, high += 64, query += kQueries * 4) {
    const __m512i a = _mm512_loadu_si512(low), b = _mm512_loadu_si512(high);
#pragma GCC unroll 14
    for (int q = 0; q < kQueries; q++) {
      const __m512i k = _mm512_set1_epi32(word(query + 4 * q));
      product[q][0] = _mm512_dpbusd_epi32(product[q][0], a, k);
      product[q][1] = _mm512_dpbusd_epi32(product[q][1], b, k);
    }
  }
  alignas(64) int32_t sums[kQueries][kStepRows];
#pragma GCC unroll 14
  for (int q = 0; q < kQueries; q++) {
    _mm512_store_si512(sums[q], product[q][0]);
    _mm512_store_si512(sums[q] + 16, product[q][1]);
  }
  __m512 n[2][5];
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < 5; i++) n[half][i] = _mm512_loadu_ps(s.numbers[half] + 16 * i);
  }
  for (int q = 0; q < kQueries; q++) {
    const __m512 scale = _mm512_set1_ps(s.scale[q]), on_mean = _mm512_set1_ps(s.on_mean[q]);
    const __m512 rest = _mm512_set1_ps(s.rest[q]), length = _mm512_set1_ps(s.length[q]);
    const __m512 threshold = _mm512_set1_ps(s.threshold[q]);
    uint32_t hits = 0;
    __m512 bound[2];
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
      __m512 x = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_load_si512(sums[q] + 16 * half)), n[half][0]);
      x = _mm512_fmadd_ps(x, scale, n[half][1]);
      x = _mm512_fmadd_ps(n[half][2], on_mean, x);
      x = _mm512_fmadd_ps(n[half][3], rest, x);
      x = _mm512_fmadd_ps(n[half][4], length, x);
      bound[half] = x;
      hits |= static_cast<uint32_t>(_mm512_cmp_ps_mask(x, threshold, _CMP_GE_OQ)) << (16 * half);
    }
    s.hits[q] = hits;
    if (hits != 0) {
      _mm512_storeu_ps(s.bounds + q * kStepRows, bound[0]);
      _mm512_storeu_ps(s.bounds + q * kStepRows + 16, bound[1]);
    }
  }
}

}  // namespace

const KnnKernels knn_avx512 = {"avx512", kQueries, 127, step_512, nullptr, dot_sum, square_sum};

}  // namespace kindred
