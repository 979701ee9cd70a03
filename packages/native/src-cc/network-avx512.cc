// The sequence network with AVX-512 VNNI, which multiplies twelve rows by a panel in 24 registers.
#include <immintrin.h>

#include "network-kernels.h"

namespace kindred {
namespace {

#define TILE_ROWS 12

inline __m512i pair_of(const int16_t* x) {
  int32_t both;
  __builtin_memcpy(&both, x, 4);
  return _mm512_set1_epi32(both);
}

template <int rows>
__attribute__((noinline)) void panel_rows(const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  __m512i low[rows], high[rows];
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++) {
    low[r] = _mm512_loadu_si512(sums + r * PANEL);
    high[r] = _mm512_loadu_si512(sums + r * PANEL + 16);
  }
  for (int pair = 0; pair < pairs; pair++, panel += 2 * PANEL, x += 2) {
    const __m512i a = _mm512_loadu_si512(panel), b = _mm512_loadu_si512(panel + 32);
#pragma GCC unroll 12
    for (int r = 0; r < rows; r++) {
      const __m512i both = pair_of(x + static_cast<int64_t>(r) * stride);
      low[r] = _mm512_dpwssd_epi32(low[r], a, both);
      high[r] = _mm512_dpwssd_epi32(high[r], b, both);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < rows; r++) {
    _mm512_storeu_si512(sums + r * PANEL, low[r]);
    _mm512_storeu_si512(sums + r * PANEL + 16, high[r]);
  }
}

void tile(int rows, const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  using Rows = void (*)(const int16_t*, int, const int16_t*, int, int32_t*);
  static constexpr Rows all[] = {panel_rows<1>, panel_rows<2>, panel_rows<3>, panel_rows<4>,  panel_rows<5>,  panel_rows<6>,
                                 panel_rows<7>, panel_rows<8>, panel_rows<9>, panel_rows<10>, panel_rows<11>, panel_rows<12>};
  all[rows - 1](x, stride, panel, pairs, sums);
}

#include "network-body.h"

}  // namespace

const NetworkKernels network_avx512 = {"avx512", network_pack, network_work, network_vector, network_probabilities};

}  // namespace kindred
