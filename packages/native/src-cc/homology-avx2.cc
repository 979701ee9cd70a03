// The kernels hold thirty-two bytes or sixteen words in an AVX2 vector.
#include <immintrin.h>

#include "homology-body.h"

namespace kindred {
namespace {

/// The scores of codes 0..15 and of codes 16..31, each in both halves.
struct Table {
  __m256i low, high;
};

inline Table table_of(const int8_t* row) {
  const __m128i* halves = reinterpret_cast<const __m128i*>(row);
  return {_mm256_broadcastsi128_si256(_mm_loadu_si128(halves)), _mm256_broadcastsi128_si256(_mm_loadu_si128(halves + 1))};
}

struct Bytes {
  typedef __m256i vec;
  typedef int8_t element;
  typedef Table table;
  static constexpr int lanes = 32;
  static constexpr int smallest = -128;
  static vec splat(int x) { return _mm256_set1_epi8(static_cast<char>(x)); }
  static void store(int8_t* p, vec v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static vec add(vec a, vec b) { return _mm256_adds_epi8(a, b); }
  static vec subtract(vec a, vec b) { return _mm256_subs_epi8(a, b); }
  static vec max(vec a, vec b) { return _mm256_max_epi8(a, b); }
  static table make_table(const int8_t* row) { return table_of(row); }
  /// A shuffle gives 0 where bit 7 of the index is set: for codes from 16 on in the lower table, and for codes below 16 in the upper one.
  static vec scores_of(const table& t, vec letters) {
    const vec index = _mm256_add_epi8(letters, _mm256_set1_epi8(0x70));
    return _mm256_or_si256(_mm256_shuffle_epi8(t.low, index), _mm256_shuffle_epi8(t.high, _mm256_sub_epi8(letters, _mm256_set1_epi8(16))));
  }
  static vec scores(const table& t, const uint8_t* letters) {
    return scores_of(t, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(letters)));
  }
  static vec interleave_low(vec a, vec b) { return _mm256_unpacklo_epi8(a, b); }
  static vec interleave_high(vec a, vec b) { return _mm256_unpackhi_epi8(a, b); }
  static uint64_t above(vec a, int8_t limit) { return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, splat(limit)))); }
  /// Loads rows: vector r has 16 letters of each of the hits r and r + 16.
  static void load_rows(const uint8_t* from, const int32_t* places, vec* rows) {
    for (int r = 0; r < 16; r++) rows[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(at(from, places[r])), at(from, places[r + 16]), 1);
  }
  static __m128i at(const uint8_t* from, int32_t place) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + place)); }
};

struct Words {
  typedef __m256i vec;
  typedef int16_t element;
  typedef Table table;
  static constexpr int lanes = 16;
  static constexpr int smallest = -32768;
  static vec splat(int x) { return _mm256_set1_epi16(static_cast<int16_t>(x)); }
  static void store(int16_t* p, vec v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static vec add(vec a, vec b) { return _mm256_adds_epi16(a, b); }
  static vec subtract(vec a, vec b) { return _mm256_subs_epi16(a, b); }
  static vec max(vec a, vec b) { return _mm256_max_epi16(a, b); }
  static table make_table(const int8_t* row) { return table_of(row); }
  static vec scores(const table& t, const uint8_t* letters) {
    const __m256i codes = _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(letters)));
    return _mm256_cvtepi8_epi16(_mm256_castsi256_si128(Bytes::scores_of(t, codes)));
  }
  static vec choose(vec a, vec b, vec x, vec y) { return _mm256_blendv_epi8(y, x, _mm256_cmpgt_epi16(a, b)); }
  static constexpr int flag_bytes = 8;
  static void store_pair(uint8_t* p, vec first, vec second) {
    const int bits = _mm256_movemask_epi8(_mm256_packs_epi16(first, second));
    __builtin_memcpy(p, &bits, 4);
  }
  static void store_flags(uint8_t* p, vec a, vec b, vec c, vec d, vec e, vec f, vec g, vec h) {
    store_pair(p, _mm256_cmpeq_epi16(a, b), _mm256_cmpeq_epi16(c, d));
    store_pair(p + 4, _mm256_cmpgt_epi16(e, f), _mm256_cmpgt_epi16(g, h));
  }
  /// Packing works on halves of the vector, so bits 0 to 7 and 16 to 23 belong to the first mask.
  static int flags(const uint8_t* p, int lane) {
    const uint8_t* half = p + (lane >> 3) * 2;
    const int l = lane & 7;
    return (half[0] >> l & 1) | (half[1] >> l & 1) << 1 | (half[4] >> l & 1) << 2 | (half[5] >> l & 1) << 3;
  }
};

}  // namespace

const HomologyKernels homology_avx2 = {"avx2", score_windows<Bytes>, Bytes::lanes,      Words::lanes, score_bands<Bytes>,
                                        score_bands<Words>, Words::flag_bytes, Words::flags, trace_bands<Words>};

}  // namespace kindred
