// The sequence network with AVX2, which is compiled a second time with KINDRED_AVXVNNI for processors that multiply and add pairs at
// once.
#include <immintrin.h>

#include "network-kernels.h"

namespace kindred {
namespace {

#define TILE_ROWS 6

#ifdef KINDRED_AVXVNNI
inline __m256i multiply_add(__m256i sum, __m256i a, __m256i b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
#else
inline __m256i multiply_add(__m256i sum, __m256i a, __m256i b) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
#endif

inline __m256i pair_of(const int16_t* x) {
  int32_t both;
  __builtin_memcpy(&both, x, 4);
  return _mm256_set1_epi32(both);
}

/// Multiplies rows by 8 * vectors of the panel's rows. If the function were inlined, its sums would not stay in registers.
template <int rows, int vectors>
__attribute__((noinline)) void part(const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  __m256i s[rows][vectors];
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) s[r][v] = _mm256_loadu_si256(reinterpret_cast<__m256i*>(sums + r * PANEL + 8 * v));
  }
  for (int pair = 0; pair < pairs; pair++, panel += 2 * PANEL, x += 2) {
    __m256i w[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) w[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(panel + 16 * v));
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
      const __m256i both = pair_of(x + static_cast<int64_t>(r) * stride);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) s[r][v] = multiply_add(s[r][v], w[v], both);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; r++) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + r * PANEL + 8 * v), s[r][v]);
  }
}

template <int rows>
void halves(const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  part<rows, 2>(x, stride, panel, pairs, sums);
  part<rows, 2>(x, stride, panel + PANEL, pairs, sums + PANEL / 2);
}

void tile(int rows, const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  switch (rows) {
    case 6: return halves<6>(x, stride, panel, pairs, sums);
    case 5: return halves<5>(x, stride, panel, pairs, sums);
    case 4: return halves<4>(x, stride, panel, pairs, sums);
    case 3: return halves<3>(x, stride, panel, pairs, sums);
    case 2: return halves<2>(x, stride, panel, pairs, sums);
    default: return part<1, 4>(x, stride, panel, pairs, sums);
  }
}

#include "network-body.h"

}  // namespace

#ifdef KINDRED_AVXVNNI
const NetworkKernels network_avxvnni = {"avxvnni", network_pack, network_work, network_vector, network_probabilities};
#else
const NetworkKernels network_avx2 = {"avx2", network_pack, network_work, network_vector, network_probabilities};
#endif

}  // namespace kindred
