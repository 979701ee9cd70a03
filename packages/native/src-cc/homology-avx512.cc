// The kernels hold sixty-four bytes or thirty-two words in an AVX-512 vector.
#include <immintrin.h>

#include "homology-body.h"

namespace kindred {
namespace {

struct Bytes {
  typedef __m512i vec;
  typedef int8_t element;
  struct table {
    vec low, high;
  };
  static constexpr int lanes = 64;
  static constexpr int smallest = -128;
  static vec splat(int x) { return _mm512_set1_epi8(static_cast<char>(x)); }
  static void store(int8_t* p, vec v) { _mm512_storeu_si512(p, v); }
  static vec add(vec a, vec b) { return _mm512_adds_epi8(a, b); }
  static vec subtract(vec a, vec b) { return _mm512_subs_epi8(a, b); }
  static vec max(vec a, vec b) { return _mm512_max_epi8(a, b); }
  static table make_table(const int8_t* row) {
    const __m128i* halves = reinterpret_cast<const __m128i*>(row);
    return {_mm512_broadcast_i32x4(_mm_loadu_si128(halves)), _mm512_broadcast_i32x4(_mm_loadu_si128(halves + 1))};
  }
  /// A shuffle gives 0 where bit 7 of the index is set: for codes from 16 on in the lower table, and for codes below 16 in the upper one.
  static vec scores_of(const table& t, vec letters) {
    const vec index = _mm512_add_epi8(letters, _mm512_set1_epi8(0x70));
    return _mm512_or_si512(_mm512_shuffle_epi8(t.low, index), _mm512_shuffle_epi8(t.high, _mm512_sub_epi8(letters, _mm512_set1_epi8(16))));
  }
  static vec scores(const table& t, const uint8_t* letters) { return scores_of(t, _mm512_loadu_si512(letters)); }
  static vec interleave_low(vec a, vec b) { return _mm512_unpacklo_epi8(a, b); }
  static vec interleave_high(vec a, vec b) { return _mm512_unpackhi_epi8(a, b); }
  static uint64_t above(vec a, int8_t limit) { return _mm512_cmpgt_epi8_mask(a, splat(limit)); }
  /// Loads rows: vector r has 16 letters of each of the hits r, r + 16, r + 32 and r + 48.
  static void load_rows(const uint8_t* from, const int32_t* places, vec* rows) {
    for (int r = 0; r < 16; r++) {
      vec v = _mm512_castsi128_si512(at(from, places[r]));
      v = _mm512_inserti32x4(v, at(from, places[r + 16]), 1);
      v = _mm512_inserti32x4(v, at(from, places[r + 32]), 2);
      rows[r] = _mm512_inserti32x4(v, at(from, places[r + 48]), 3);
    }
  }
  static __m128i at(const uint8_t* from, int32_t place) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + place)); }
};

struct Words {
  typedef __m512i vec;
  typedef int16_t element;
  typedef vec table;
  static constexpr int lanes = 32;
  static constexpr int smallest = -32768;
  static vec splat(int x) { return _mm512_set1_epi16(static_cast<int16_t>(x)); }
  static void store(int16_t* p, vec v) { _mm512_storeu_si512(p, v); }
  static vec add(vec a, vec b) { return _mm512_adds_epi16(a, b); }
  static vec subtract(vec a, vec b) { return _mm512_subs_epi16(a, b); }
  static vec max(vec a, vec b) { return _mm512_max_epi16(a, b); }
  static table make_table(const int8_t* row) { return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row))); }
  static vec scores(const table& t, const uint8_t* letters) {
    return _mm512_permutexvar_epi16(_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(letters))), t);
  }
  static vec choose(vec a, vec b, vec x, vec y) { return _mm512_mask_blend_epi16(_mm512_cmpgt_epi16_mask(a, b), y, x); }
  static constexpr int flag_bytes = 16;
  static void store_flags(uint8_t* p, vec a, vec b, vec c, vec d, vec e, vec f, vec g, vec h) {
    const uint32_t bits[4] = {_mm512_cmpeq_epi16_mask(a, b), _mm512_cmpeq_epi16_mask(c, d), _mm512_cmpgt_epi16_mask(e, f), _mm512_cmpgt_epi16_mask(g, h)};
    __builtin_memcpy(p, bits, sizeof bits);
  }
  static int flags(const uint8_t* p, int lane) {
    uint32_t bits[4];
    __builtin_memcpy(bits, p, sizeof bits);
    int found = 0;
    for (int k = 0; k < 4; k++) found |= static_cast<int>(bits[k] >> lane & 1) << k;
    return found;
  }
};

}  // namespace

const HomologyKernels homology_avx512 = {"avx512", score_windows<Bytes>, Bytes::lanes,      Words::lanes, score_bands<Bytes>,
                                        score_bands<Words>, Words::flag_bytes, Words::flags, trace_bands<Words>};

}  // namespace kindred
