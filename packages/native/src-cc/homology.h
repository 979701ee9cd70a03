// Relatives of queries among indexed sequences: seeds, ungapped windows, gapped bands, alignments in wide bands. The slow version, whose answer this
// gives bit for bit, is packages/kernels/src/homology/plain-search.ts; the index is described in seed-index.ts.
#pragma once
#include <cstdint>

#include "homology-kernels.h"

namespace kindred {

struct HomologyRequest {
  const HomologyKernels* kernels;
  /// Letters of all sequences; sequence s is codes[start[s]] .. codes[start[s + 1] - 2], a delimiter behind it.
  const uint8_t* codes;
  int64_t letters;
  /// [sequences + 1]
  const int32_t* start;
  int32_t sequences;
  /// Where the words are that share four letters [kSeedPrefixes x kPrefixBytes]; bit r: the one with the last letter r occurs [kSeedPrefixes].
  const uint8_t* prefixes;
  const uint32_t* occupied;
  const int32_t* places;
  int64_t place_count;
  /// Offsets of the seed's letters [kSeedLetters], ascending from 0.
  const int32_t* offsets;
  /// Letters of the queries, one after the other; query q is query_codes[query_start[q]] .. query_codes[query_start[q + 1] - 1].
  const uint8_t* query_codes;
  const int32_t* query_start;
  int32_t queries;
  /// 1 where a query letter may not begin or carry a seed on its own [query letters].
  const uint8_t* masked;
  /// Sequence that each query may not find, or -1, and the least score in the band [queries].
  const int32_t *excluded, *minimum_band;
  /// [32 x 32]
  const int8_t* matrix;
  int32_t gap_open, gap_extend;
  int32_t minimum_seed, minimum_window, limit;
  /// Out: candidates by falling band score, ties by number [queries x limit]; how many [queries].
  int32_t *found, *score, *count;
  /// Out: score, identical columns, columns with a gap, all columns of each candidate's alignment [queries x limit x 4].
  int32_t* aligned;
  int32_t (*stopped)(void* context);
  void* context;
};

constexpr int kSeedLetters = 5;
/// Four of the 20 residues.
constexpr int64_t kSeedPrefixes = 160000;
/// Of a prefix, see SeedIndex.prefixes: the places of its words up to each one, three bytes each, and its first place.
constexpr int kPrefixBytes = 64, kFirstPlace = 60;
/// Letters that every index holds before its first sequence and after its last.
constexpr int32_t kIndexPadding = 64;

/// False when it was stopped; then the output is of no use.
/// @throws std::range_error for a letter or an index that does not fit
bool find_homologs(const HomologyRequest& request);

}  // namespace kindred
