// The kernels of homology-kernels.h over vectors of bytes and of 16-bit words. Each instruction set includes this file in
// its own translation unit and names its operations:
//
//   Bytes, Words        types with: vec, element, lanes, splat, load, store, add (saturating), subtract (saturating), max,
//                       table (16 scores or all 32, as `scores` needs them), scores(table, letters)
//   Words also          choose(a, b, x, y): x where a > b, else y; flag_bytes; store_flags(p, a, b, c, d, e, f, g, h): bits
//                       a == b, c == d, e > f, g > h; flags(p, lane): these of one lane as bits 0 to 3
//   Bytes also          interleave_low, interleave_high (bytes, within 128 bits), load_rows (see there), above(a, limit)
#pragma once
#include "homology-kernels.h"

namespace kindred {
namespace {

/// Transposes rows: byte c of hit h goes to byte h of column c, by four perfect shuffles, each of which rotates the index (column, byte)
/// by a bit.
template <typename B>
inline __attribute__((always_inline)) void transpose(typename B::vec* column) {
  for (int round = 0; round < 4; round++) {
    typename B::vec next[16];
    for (int i = 0; i < 8; i++) {
      next[2 * i] = B::interleave_low(column[i], column[i + 8]);
      next[2 * i + 1] = B::interleave_high(column[i], column[i + 8]);
    }
    for (int i = 0; i < 16; i++) column[i] = next[i];
  }
}

/// Finds the best segment that contains the seed's first residue, within the window, in saturating bytes.
template <typename B>
void score_windows(const WindowBatch& batch, std::vector<Segment>& found) {
  typedef typename B::vec vec;
  typename B::table rows[kWindow];
  for (int c = 0; c < kWindow; c++) rows[c] = B::make_table(batch.rows[c]);
  const vec zero = B::splat(0);
  for (int32_t first = 0; first < batch.hits; first += B::lanes) {
    const int32_t* places = batch.places + first;
    vec sum = zero, best = B::splat(kNever);
    for (int block = 0; block < kWindow; block += 16) {
      vec column[16];
      B::load_rows(batch.codes - kWindowLeft + block, places, column);
      transpose<B>(column);
      for (int c = 0; c < 16; c++) {
        sum = B::add(sum, B::scores_of(rows[block + c], column[c]));
        if (block + c < kWindowLeft) sum = B::max(sum, zero);
        else best = B::max(best, sum);
      }
    }
    uint64_t reached = B::above(best, static_cast<int8_t>(batch.minimum - 1));
    const int32_t left = batch.hits - first;
    if (left < 64) reached &= (uint64_t{1} << left) - 1;
    if (reached == 0) continue;
    int8_t scores[B::lanes];
    B::store(scores, best);
    for (; reached != 0; reached &= reached - 1) {
      const int lane = __builtin_ctzll(reached);
      found.push_back({places[lane], scores[lane]});
    }
  }
}

/// Computes Smith-Waterman within the band. The smallest element stands for 0, so that saturation is the floor.
template <typename O>
void score_bands(const BandBatch& batch) {
  typedef typename O::vec vec;
  const vec floor = O::splat(O::smallest), open = O::splat(batch.gap_open), extend = O::splat(batch.gap_extend);
  // The values of column b of the row before: h minus the cost of a gap's first residue, h itself, and the best score with a gap in the
  // query.
  vec h[kBandWidth + 1], opened[kBandWidth + 1], e[kBandWidth + 1];
  for (int b = 0; b <= kBandWidth; b++) h[b] = opened[b] = e[b] = floor;
  vec best = floor;
  for (int32_t i = 0; i < batch.rows; i++) {
    const typename O::table table = O::make_table(batch.scores[i]);
    const uint8_t* letters = batch.letters + static_cast<int64_t>(i) * O::lanes;
    vec f = floor, left = floor;
    for (int b = 0; b < kBandWidth; b++, letters += O::lanes) {
      const vec above = O::max(O::subtract(e[b + 1], extend), opened[b + 1]);
      f = O::max(O::subtract(f, extend), left);
      vec score = O::add(h[b], O::scores(table, letters));
      score = O::max(score, O::max(above, f));
      e[b] = above;
      h[b] = score;
      left = opened[b] = O::subtract(score, open);
      best = O::max(best, score);
    }
  }
  typename O::element out[O::lanes];
  O::store(out, best);
  for (int l = 0; l < O::lanes; l++) batch.best[l] = static_cast<int32_t>(out[l]) - O::smallest;
}

/// Computes Smith-Waterman within the wide band, with a trace.
template <typename O>
void trace_bands(const TraceBatch& batch) {
  typedef typename O::vec vec;
  const vec floor = O::splat(O::smallest), open = O::splat(batch.gap_open), extend = O::splat(batch.gap_extend);
  vec h[kAlignWidth + 1], opened[kAlignWidth + 1], e[kAlignWidth + 1];
  for (int b = 0; b <= kAlignWidth; b++) h[b] = opened[b] = e[b] = floor;
  for (int l = 0; l < O::lanes; l++) batch.ends[l] = {0, 0, 0};
  uint8_t* trace = batch.trace;
  for (int32_t i = 0; i < batch.rows; i++) {
    const typename O::table table = O::make_table(batch.scores[i]);
    const uint8_t* letters = batch.letters + static_cast<int64_t>(i) * O::lanes;
    vec f = floor, left = floor, best = floor, column = O::splat(0);
    for (int b = 0; b < kAlignWidth; b++, letters += O::lanes, trace += O::flag_bytes) {
      const vec e_longer = O::subtract(e[b + 1], extend);
      const vec above = O::max(e_longer, opened[b + 1]);
      const vec f_longer = O::subtract(f, extend);
      f = O::max(f_longer, left);
      const vec pair = O::add(h[b], O::scores(table, letters));
      const vec score = O::max(pair, O::max(above, f));
      O::store_flags(trace, score, pair, score, above, opened[b + 1], e_longer, left, f_longer);
      column = O::choose(score, best, O::splat(b), column);
      best = O::max(best, score);
      e[b] = above;
      h[b] = score;
      left = opened[b] = O::subtract(score, open);
    }
    typename O::element scores[O::lanes], columns[O::lanes];
    O::store(scores, best);
    O::store(columns, column);
    for (int l = 0; l < O::lanes; l++) {
      BandEnd& end = batch.ends[l];
      const int32_t score = static_cast<int32_t>(scores[l]) - O::smallest;
      if (score > end.score || (score == end.score && score > 0 && i + columns[l] < end.row + end.column)) end = {score, i, columns[l]};
    }
  }
}

}  // namespace
}  // namespace kindred
