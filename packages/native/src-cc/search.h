// The exact search of the k nearest neighbours in a bank: integer products with proven bounds select, and the rest is compared exactly.
#pragma once
#include <atomic>
#include <cstdint>

#include "bank.h"
#include "knn-kernels.h"

namespace kindred {

struct SearchRequest {
  const Bank* bank;
  const KnnKernels* kernels;
  /// The vectors as float [rows x dimension]; the rows of query q are row_start[q] .. row_start[q + 1).
  const float* vectors;
  const int32_t* row_start;
  int64_t queries;
  /// The sequence number that each query must not find, or -1.
  const int32_t* excluded;
  /// The subsets of each reference: bit s is set if subset s contains it; null means one subset of all references.
  const uint8_t* subset_bits;
  int subsets;
  bool cosine;
  int64_t k;
  /// The maximum distance of a neighbour, as float32.
  double threshold;
  int threads;
  /// Optional, shared with other threads: a value other than zero in [0] stops the search, and [1] counts finished queries.
  std::atomic<int32_t>* control;
  /// Output: [subsets x queries x k].
  int32_t* neighbours;
  float* distances;
};

struct SearchReport {
  bool aborted = false;
  /// The number of queries whose bounds decided too little, so that they were searched in full.
  int64_t uncertified = 0;
  /// The number of pairs of vectors that were compared exactly.
  int64_t compared = 0;
};

/// @throws std::runtime_error if a thread could not start, std::bad_alloc
SearchReport search(const SearchRequest& request);

}  // namespace kindred
