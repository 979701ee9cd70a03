// The search for relatives of queries among indexed sequences: seeds, ungapped windows, gapped bands, alignments in wide bands. The slow
// version, with the same answer bit for bit, is packages/kernels/src/homology/plain-search.ts; seed-index.ts describes the index.
#pragma once
#include <cstdint>

#include "homology-kernels.h"

namespace kindred {

struct HomologyRequest {
  const HomologyKernels* kernels;
  /// The letters of all sequences: sequence s is codes[start[s]] .. codes[start[s + 1] - 2], followed by a delimiter.
  const uint8_t* codes;
  int64_t letters;
  /// The start of each sequence, and the end of the last: [sequences + 1].
  const int32_t* start;
  int32_t sequences;
  /// The positions of the words that share four letters [kSeedPrefixes x kPrefixBytes], and the words that occur, where bit r is set for
  /// the word with the last letter r [kSeedPrefixes].
  const uint8_t* prefixes;
  const uint32_t* occupied;
  const int32_t* places;
  int64_t place_count;
  /// The offsets of the seed's letters [kSeedLetters], ascending from 0.
  const int32_t* offsets;
  /// The letters of the queries: query q is query_codes[query_start[q]] .. query_codes[query_start[q + 1] - 1].
  const uint8_t* query_codes;
  const int32_t* query_start;
  int32_t queries;
  /// The value is 1 where a query letter may not begin or carry a seed on its own [query letters].
  const uint8_t* masked;
  /// The sequence that each query may not find, or -1, and the minimum score in the band [queries].
  const int32_t *excluded, *minimum_band;
  /// The scores: [32 x 32].
  const int8_t* matrix;
  int32_t gap_open, gap_extend;
  int32_t minimum_seed, minimum_window, limit;
  /// Output: candidates by falling band score, of equal scores by number [queries x limit], and how many there are [queries].
  int32_t *found, *score, *count;
  /// Output: score, identical columns, columns with a gap, and all columns of each candidate's alignment [queries x limit x 4].
  int32_t* aligned;
  int32_t (*stopped)(void* context);
  void* context;
};

constexpr int kSeedLetters = 5;
/// The number of prefixes, which are four of the 20 residues.
constexpr int64_t kSeedPrefixes = 160000;
/// The bytes of a prefix (see SeedIndex.prefixes): the numbers of places of its words up to each one, three bytes each, then its first
/// place.
constexpr int kPrefixBytes = 64, kFirstPlace = 60;
/// The number of delimiters that every index holds before its first sequence and after its last.
constexpr int32_t kIndexPadding = 64;

/// Searches for relatives. Returns false if it was stopped; then the output is of no use.
/// @throws std::range_error for a letter or an index that does not fit
bool find_homologs(const HomologyRequest& request);

}  // namespace kindred
