// The kernels hold sixteen bytes or eight words in arrays, for processors without wide vectors.
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
  /// Loads rows: vector r has 16 letters of hit r.
  static void load_rows(const uint8_t* from, const int32_t* places, vec* rows) {
    for (int r = 0; r < 16; r++) rows[r] = each([&](int l) { return static_cast<int>(from[places[r] + l]); });
  }
};

struct Words : Array<int16_t, 8> {
  static vec choose(const vec& a, const vec& b, const vec& x, const vec& y) {
    return each([&](int l) { return static_cast<int>((a.at[l] > b.at[l] ? x : y).at[l]); });
  }
  static constexpr int flag_bytes = lanes;
  static void store_flags(uint8_t* p, const vec& a, const vec& b, const vec& c, const vec& d, const vec& e, const vec& f, const vec& g, const vec& h) {
    for (int l = 0; l < lanes; l++) {
      p[l] = static_cast<uint8_t>((a.at[l] == b.at[l]) | (c.at[l] == d.at[l]) << 1 | (e.at[l] > f.at[l]) << 2 | (g.at[l] > h.at[l]) << 3);
    }
  }
  static int flags(const uint8_t* p, int lane) { return p[lane]; }
};

}  // namespace

const HomologyKernels homology_plain = {"plain", score_windows<Bytes>, Bytes::lanes,      Words::lanes, score_bands<Bytes>,
                                        score_bands<Words>, Words::flag_bytes, Words::flags, trace_bands<Words>};

}  // namespace kindred
