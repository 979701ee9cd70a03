// Exact k-nearest-neighbour search over a bank: integer preselection with proven bounds, exact comparison of the rest.
#pragma once
#include <atomic>
#include <cstdint>

#include "bank.h"
#include "knn-kernels.h"

namespace kindred {

struct SearchRequest {
  const Bank* bank;
  const KnnKernels* kernels;
  /// Float [rows x dimension]; rows of query q are row_start[q] .. row_start[q + 1).
  const float* vectors;
  const int32_t* row_start;
  int64_t queries;
  /// Sequence number that query q must not meet, or -1.
  const int32_t* excluded;
  /// For each reference, bit s where subset s holds it; null: one subset of all.
  const uint8_t* subset_bits;
  int subsets;
  bool cosine;
  int64_t k;
  /// Greatest distance of a neighbour, as float32.
  double threshold;
  int threads;
  /// Optional, shared with other threads: [0] not zero stops the search, [1] counts finished queries.
  std::atomic<int32_t>* control;
  /// Out: [subsets x queries x k].
  int32_t* neighbours;
  float* distances;
};

struct SearchReport {
  bool aborted = false;
  /// Queries whose bounds decided too little, searched in full.
  int64_t uncertified = 0;
  /// Pairs of vectors compared exactly.
  int64_t compared = 0;
};

/// @throws std::runtime_error (a thread could not start), std::bad_alloc
SearchReport search(const SearchRequest& request);

}  // namespace kindred
