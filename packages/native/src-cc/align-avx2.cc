// The kernels align sixteen pairs in the lanes of an AVX2 vector.
#include <immintrin.h>

#include <cstddef>

#include "align-native.h"

namespace kindred {
namespace {

#define NAME(x) x##_16
#define lane_t int16_t
#define LANES 16
#define LANE_GROUPS
#define vec __m256i
#define v_load(p) _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))
#define v_store(p, v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v)
#define v_splat(x) _mm256_set1_epi16(static_cast<int16_t>(x))
#define v_add _mm256_add_epi16
#define v_sub _mm256_sub_epi16
#define v_max _mm256_max_epi16
#define v_any_greater(a, b) (_mm256_movemask_epi8(_mm256_cmpgt_epi16(a, b)) != 0)
#define FLAG_BYTES 8

inline __m256i v_scores(const int8_t* row, const uint8_t* letters, int16_t add) {
  const __m128i index = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters));
  const __m128i low = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)), index);
  const __m128i high = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16)), index);
  const __m128i score = _mm_blendv_epi8(low, high, _mm_slli_epi16(index, 3));
  return _mm256_add_epi16(_mm256_cvtepi8_epi16(score), _mm256_set1_epi16(add));
}

inline __m128i eight(const int16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline __m128i four(const int16_t* p) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)); }

inline __m256i v_profile(const int16_t* profile, const uint8_t* query, int groups) {
  if (groups == 1) return v_load(profile + *query * 16);
  if (groups == 2) return _mm256_set_m128i(eight(profile + query[1] * 16 + 8), eight(profile + query[0] * 16));
  const __m128i low = _mm_unpacklo_epi64(four(profile + query[0] * 16), four(profile + query[1] * 16 + 4));
  const __m128i high = _mm_unpacklo_epi64(four(profile + query[2] * 16 + 8), four(profile + query[3] * 16 + 12));
  return _mm256_set_m128i(high, low);
}

inline void store_pair(uint8_t* p, __m256i first, __m256i second) {
  const int bits = _mm256_movemask_epi8(_mm256_packs_epi16(first, second));
  __builtin_memcpy(p, &bits, 4);
}

inline void v_flags_store(uint8_t* p, __m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f, __m256i g, __m256i h) {
  store_pair(p, _mm256_cmpeq_epi16(a, b), _mm256_cmpeq_epi16(c, d));
  store_pair(p + 4, _mm256_cmpgt_epi16(e, f), _mm256_cmpgt_epi16(g, h));
}

// Packing works on halves of the vector, so bits 0-7 and 16-23 belong to the first mask.
inline int v_flags_lane(const uint8_t* p, int lane) {
  const uint8_t* half = p + (lane >> 3) * 2;
  const int l = lane & 7;
  return (half[0] >> l & 1) | (half[1] >> l & 1) << 1 | (half[4] >> l & 1) << 2 | (half[5] >> l & 1) << 3;
}

#include "align-body.h"

}  // namespace

const AlignKernel align_avx2 = {"avx2", LANES, 4, FLAG_BYTES, work_bytes_16, align_16};

}  // namespace kindred
