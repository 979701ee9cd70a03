// Kernels of the homology search: ungapped windows around seed hits, and gapped scores within a band of diagonals.
#pragma once
#include <cstdint>
#include <vector>

namespace kindred {

/// Columns of a window: before the seed's first residue, and from it on.
constexpr int kWindowLeft = 20, kWindowRight = 28, kWindow = kWindowLeft + kWindowRight;
/// A band holds the diagonals d - kBandRadius .. d + kBandRadius.
constexpr int kBandRadius = 12, kBandWidth = 2 * kBandRadius + 1;
/// Letter between sequences and outside them; it scores kNever against every letter.
constexpr uint8_t kDelimiter = 31;
constexpr int8_t kNever = -128;
/// Seed hits that a kernel may read behind the last one.
constexpr int kHitSlack = 64;

/// A seed hit whose window reached the limit.
struct Segment {
  int32_t place;
  int8_t score;
};

/// Windows of one query position.
struct WindowBatch {
  /// Reference letters; every hit has kWindowLeft letters before it and kWindowRight from it on.
  const uint8_t* codes;
  /// Where the seed begins in `codes` [hits], and kHitSlack more that may be read.
  const int32_t* places;
  int32_t hits;
  /// Scores of the 32 letters in each column of the window [kWindow].
  const int8_t* const* rows;
  int8_t minimum;
};

/// Candidates side by side in the lanes of a vector.
struct BandBatch {
  int32_t rows;
  /// Scores of the 32 letters against the query's residue in each row [rows].
  const int8_t* const* scores;
  /// Reference letter of row i and band column b is letters[(i + b) * lanes + lane]; [(rows + kBandWidth - 1) x lanes].
  const uint8_t* letters;
  int32_t gap_open, gap_extend;
  /// Best score of each lane [lanes], at most the kernel's limit.
  int32_t* best;
};

/// An alignment holds the diagonals d - kAlignRadius .. d + kAlignRadius.
constexpr int kAlignRadius = 64, kAlignWidth = 2 * kAlignRadius + 1;

/// Where the best alignment of a lane ends: row and band column, of equal ones the lowest row + column, then the lowest row.
struct BandEnd {
  int32_t score, row, column;
};

/// Candidates side by side, and room for what a walk back needs.
struct TraceBatch {
  int32_t rows;
  /// As in BandBatch.
  const int8_t* const* scores;
  /// Reference letter of row i and band column b is letters[(i + b) * lanes + lane]; [(rows + kAlignWidth - 1) x lanes].
  const uint8_t* letters;
  int32_t gap_open, gap_extend;
  /// Out: flags of each cell in all lanes [rows x kAlignWidth x flag_bytes].
  uint8_t* trace;
  /// Out [lanes].
  BandEnd* ends;
};

/// Of a cell's best score: it comes from the diagonal; from a gap that takes a query residue (else a reference residue).
/// The best score with a gap of each kind opens that gap here.
enum { kFromPair = 1, kFromQueryGap = 2, kOpensQueryGap = 4, kOpensReferenceGap = 8 };

struct HomologyKernels {
  const char* name;
  /// Appends the hits that reach the minimum, in the order of the hits.
  void (*windows)(const WindowBatch& batch, std::vector<Segment>& found);
  int byte_lanes, word_lanes;
  /// Scores up to 255.
  void (*band_bytes)(const BandBatch& batch);
  /// Scores up to 65,535.
  void (*band_words)(const BandBatch& batch);
  /// Bytes of the trace of one cell in all lanes, and the flags of one lane in them.
  int flag_bytes;
  int (*flags)(const uint8_t* cell, int lane);
  /// Scores up to 65,535, in word_lanes.
  void (*trace_words)(const TraceBatch& batch);
};

extern const HomologyKernels homology_plain;
#ifdef KINDRED_X86
extern const HomologyKernels homology_avx2, homology_avx512;
#endif

}  // namespace kindred
