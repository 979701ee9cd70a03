// Sixteen bytes or eight words in arrays: for processors without wide vectors.
#include <algorithm>

#include "homology-body.h"

namespace kindred {
namespace {

template <typename Element, int Lanes>
struct Array {
  struct vec {
    Element at[Lanes];
  };
  typedef Element element;
  typedef const int8_t* table;
  static constexpr int lanes = Lanes;
  static constexpr int smallest = sizeof(Element) == 1 ? -128 : -32768;
  static constexpr int largest = -1 - smallest;

  template <typename Function>
  static vec each(Function function) {
    vec v;
    for (int l = 0; l < Lanes; l++) v.at[l] = static_cast<Element>(std::min(largest, std::max(smallest, function(l))));
    return v;
  }
  static vec splat(int x) { return each([&](int) { return x; }); }
  static void store(Element* p, const vec& v) { std::copy(v.at, v.at + Lanes, p); }
  static vec add(const vec& a, const vec& b) { return each([&](int l) { return a.at[l] + b.at[l]; }); }
  static vec subtract(const vec& a, const vec& b) { return each([&](int l) { return a.at[l] - b.at[l]; }); }
  static vec max(const vec& a, const vec& b) { return each([&](int l) { return static_cast<int>(std::max(a.at[l], b.at[l])); }); }
  static table make_table(const int8_t* row) { return row; }
  static vec scores(table t, const uint8_t* letters) { return each([&](int l) { return static_cast<int>(t[letters[l]]); }); }
};

struct Bytes : Array<int8_t, 16> {
  static vec scores_of(table t, const vec& letters) { return each([&](int l) { return static_cast<int>(t[letters.at[l]]); }); }
  static vec interleave_low(const vec& a, const vec& b) { return each([&](int l) { return static_cast<int>((l & 1 ? b : a).at[l / 2]); }); }
  static vec interleave_high(const vec& a, const vec& b) { return each([&](int l) { return static_cast<int>((l & 1 ? b : a).at[8 + l / 2]); }); }
  static uint64_t above(const vec& a, int8_t limit) {
    uint64_t bits = 0;
    for (int l = 0; l < lanes; l++) bits |= static_cast<uint64_t>(a.at[l] > limit) << l;
    return bits;
  }
  /// Vector r: 16 letters of hit r.
  static void load_rows(const uint8_t* from, const int32_t* places, vec* rows) {
    for (int r = 0; r < 16; r++) rows[r] = each([&](int l) { return static_cast<int>(from[places[r] + l]); });
  }
};

typedef Array<int16_t, 8> Words;

}  // namespace

const HomologyKernels homology_plain = {"plain", score_windows<Bytes>, Bytes::lanes, Words::lanes, score_bands<Bytes>, score_bands<Words>};

}  // namespace kindred
