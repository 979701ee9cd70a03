// The kernels align thirty-two pairs in the lanes of an AVX-512 vector.
#include <immintrin.h>

#include <cstddef>

#include "align-native.h"

namespace kindred {
namespace {

#define NAME(x) x##_16
#define lane_t int16_t
#define LANES 32
#define LANE_GROUPS
#define vec __m512i
#define v_load(p) _mm512_loadu_si512(p)
#define v_store(p, v) _mm512_storeu_si512(p, v)
#define v_splat(x) _mm512_set1_epi16(static_cast<int16_t>(x))
#define v_add _mm512_add_epi16
#define v_sub _mm512_sub_epi16
#define v_max _mm512_max_epi16
#define v_any_greater(a, b) (_mm512_cmpgt_epi16_mask(a, b) != 0)
#define FLAG_BYTES 16

inline __m512i v_scores(const int8_t* row, const uint8_t* letters, int16_t add) {
  const __m512i index = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(letters)));
  const __m512i table = _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
  return _mm512_add_epi16(_mm512_permutexvar_epi16(index, table), _mm512_set1_epi16(add));
}

inline __m256i sixteen(const int16_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline __m128i eight(const int16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

inline __m512i v_profile(const int16_t* profile, const uint8_t* query, int groups) {
  if (groups == 1) return v_load(profile + *query * 32);
  if (groups == 2) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(sixteen(profile + query[0] * 32)), sixteen(profile + query[1] * 32 + 16), 1);
  }
  const __m256i low = _mm256_set_m128i(eight(profile + query[1] * 32 + 8), eight(profile + query[0] * 32));
  const __m256i high = _mm256_set_m128i(eight(profile + query[3] * 32 + 24), eight(profile + query[2] * 32 + 16));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

inline void v_flags_store(uint8_t* p, __m512i a, __m512i b, __m512i c, __m512i d, __m512i e, __m512i f, __m512i g, __m512i h) {
  const __mmask32 masks[4] = {_mm512_cmpeq_epi16_mask(a, b), _mm512_cmpeq_epi16_mask(c, d), _mm512_cmpgt_epi16_mask(e, f),
                              _mm512_cmpgt_epi16_mask(g, h)};
  __builtin_memcpy(p, masks, 16);
}

inline int v_flags_lane(const uint8_t* p, int lane) {
  uint32_t masks[4];
  __builtin_memcpy(masks, p, 16);
  return static_cast<int>((masks[0] >> lane & 1) | (masks[1] >> lane & 1) << 1 | (masks[2] >> lane & 1) << 2 | (masks[3] >> lane & 1) << 3);
}

#include "align-body.h"

}  // namespace

const AlignKernel align_avx512 = {"avx512", LANES, 4, FLAG_BYTES, work_bytes_16, align_16};

}  // namespace kindred
