// The kernels of the homology search: ungapped windows around seed hits, and gapped scores within a band of diagonals.
#pragma once
#include <cstdint>
#include <vector>

namespace kindred {

/// The columns of a window before the seed's first residue, and from that residue on.
constexpr int kWindowLeft = 20, kWindowRight = 28, kWindow = kWindowLeft + kWindowRight;
/// A band holds the diagonals d - kBandRadius .. d + kBandRadius.
constexpr int kBandRadius = 12, kBandWidth = 2 * kBandRadius + 1;
/// The letter between sequences and outside them, which scores kNever against every letter.
constexpr uint8_t kDelimiter = 31;
constexpr int8_t kNever = -128;
/// The number of seed hits after the last one that a kernel may read.
constexpr int kHitSlack = 64;

/// A seed hit whose window reached the limit.
struct Segment {
  int32_t place;
  int8_t score;
};

/// The windows of one query position.
struct WindowBatch {
  /// The reference letters. Every hit has kWindowLeft letters before it and kWindowRight from its first letter on.
  const uint8_t* codes;
  /// The places in `codes` where the seed begins [hits], and kHitSlack more that may be read.
  const int32_t* places;
  int32_t hits;
  /// The scores of the 32 letters in each column of the window [kWindow].
  const int8_t* const* rows;
  int8_t minimum;
};

/// Candidates side by side in the lanes of a vector.
struct BandBatch {
  int32_t rows;
  /// The scores of the 32 letters against the query's residue in each row [rows].
  const int8_t* const* scores;
  /// The reference letters: that of row i and band column b is letters[(i + b) * lanes + lane]. [(rows + kBandWidth - 1) x lanes]
  const uint8_t* letters;
  int32_t gap_open, gap_extend;
  /// The best score of each lane [lanes], at most the kernel's limit.
  int32_t* best;
};

/// An alignment holds the diagonals d - kAlignRadius .. d + kAlignRadius.
constexpr int kAlignRadius = 64, kAlignWidth = 2 * kAlignRadius + 1;

/// The end of the best alignment of a lane: row and band column. Of equal ones the lowest row + column is taken, then the lowest row.
struct BandEnd {
  int32_t score, row, column;
};

/// Candidates side by side, and room for the trace that a walk back needs.
struct TraceBatch {
  int32_t rows;
  /// The scores, as in BandBatch.
  const int8_t* const* scores;
  /// The reference letters: that of row i and band column b is letters[(i + b) * lanes + lane]. [(rows + kAlignWidth - 1) x lanes]
  const uint8_t* letters;
  int32_t gap_open, gap_extend;
  /// Output: flags of each cell in all lanes [rows x kAlignWidth x flag_bytes].
  uint8_t* trace;
  /// Output: the end of each lane's best alignment [lanes].
  BandEnd* ends;
};

/// Flags of a cell. The first two say that its best score comes from the diagonal, or from a gap that takes a query residue (otherwise
/// from a gap that takes a reference residue). The others say that the best score with a gap of that kind opens the gap here.
enum { kFromPair = 1, kFromQueryGap = 2, kOpensQueryGap = 4, kOpensReferenceGap = 8 };

struct HomologyKernels {
  const char* name;
  /// Appends the hits that reach the minimum, in the order of the hits.
  void (*windows)(const WindowBatch& batch, std::vector<Segment>& found);
  int byte_lanes, word_lanes;
  /// Computes scores up to 255.
  void (*band_bytes)(const BandBatch& batch);
  /// Computes scores up to 65,535.
  void (*band_words)(const BandBatch& batch);
  /// The bytes of the trace of one cell in all lanes, and the flags of one lane in them.
  int flag_bytes;
  int (*flags)(const uint8_t* cell, int lane);
  /// Computes scores up to 65,535 with traces, in word_lanes.
  void (*trace_words)(const TraceBatch& batch);
};

extern const HomologyKernels homology_plain;
#ifdef KINDRED_X86
extern const HomologyKernels homology_avx2, homology_avx512;
#endif

}  // namespace kindred
