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

void step_256(const Step& s) {
  for (int q = 0; q < kQueries; q++) s.hits[q] = 0;
  for (int half = 0; half < 2; half++) {
    __m256i product[kQueries][2];
    for (int q = 0; q < kQueries; q++) product[q][0] = product[q][1] = _mm256_set1_epi32(s.bias[q]);
    const uint8_t* codes = s.codes[half];
    const int8_t* query = s.queries;
    for (int64_t w = 0; w < s.words; w++, codes += 64, query += kQueries * 4) {
      const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
      const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + 32));
#pragma GCC unroll 4
      for (int q = 0; q < kQueries; q++) {
        const __m256i k = _mm256_set1_epi32(word(query + 4 * q));
        product[q][0] = multiply_add(product[q][0], low, k);
        product[q][1] = multiply_add(product[q][1], high, k);
      }
    }
    for (int q = 0; q < kQueries; q++) {
      s.hits[q] |= compare(s, q, half * 16, product[q][0]) | compare(s, q, half * 16 + 8, product[q][1]);
    }
  }
}

}  // namespace

#ifdef KINDRED_AVXVNNI
const KnnKernels knn_avxvnni = {"avxvnni", kQueries, kLevels, step_256, dot_sum, square_sum};
#else
const KnnKernels knn_avx2 = {"avx2", kQueries, kLevels, step_256, dot_sum, square_sum};
#endif

}  // namespace kindred
