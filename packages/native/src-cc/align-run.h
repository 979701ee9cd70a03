// Runs prepared batches of pairs through an alignment kernel.
#pragma once
#include <cstdint>

#include "align-native.h"

namespace kindred {

struct AlignRequest {
  const AlignKernel* kernel;
  /// All sequences, one after the other: sequence s is codes[start[s]] .. codes[start[s + 1] - 1], and none is empty.
  const uint8_t* codes;
  const int32_t* start;
  int64_t sequences;
  /// The pairs: pair p is the sequences query[p] and target[p].
  const int32_t *query, *target;
  int64_t pairs;
  /// The pair in each lane, or -1: [batches x lanes]; and the queries in each batch (1, 2 or 4): [batches].
  const int32_t* lanes;
  const uint8_t* groups;
  int64_t batches;
  int32_t mode, gap_open, gap_extend;
  /// The scores: [32 x 32].
  const int8_t* matrix;
  int64_t trace_bytes;
  /// Output: score, identical, similar, gaps and length of each pair [pairs x 5].
  int32_t* out;
  /// A function that is called regularly and says whether to stop; may be null.
  int32_t (*stopped)(void* context);
  void* context;
};

/// Aligns the batches. Returns false if it was stopped; then `out` is of no use.
/// @throws std::range_error for an index or a code out of range, or lanes of one group with different queries; std::bad_alloc
bool align_batches(const AlignRequest& request);

}  // namespace kindred
