// The arithmetic of the neighbour search, with one table of functions for each instruction set.
#pragma once
#include <cstdint>

namespace kindred {

/// The references of one step: two groups of sixteen rows (packages/native/src/bank/format.ts has the layout).
constexpr int kStepRows = 32;
/// The maximum number of queries that a step of any instruction set takes.
constexpr int kMaxQueries = 16;

/// Integer products of a few queries with 32 references, which are turned into bounds and compared with a threshold each.
struct Step {
  const uint8_t* codes[2];
  /// The numbers A, B, C, H, G of the sixteen rows of each group.
  const float* numbers[2];
  /// The query codes [words x queries x 4].
  const int8_t* queries;
  /// The number ceil(dimension / 4).
  int64_t words;
  // What lets a kernel add products in 16 bits (see kPartWords); null and unused where `row_squares` is null.
  /// The largest squares of the sixteen rows of each group, [2 x parts].
  const uint16_t* row_squares;
  /// The largest squares of the queries, [parts].
  const uint16_t* query_squares;
  /// The sums of the queries' codes, [parts x queries x 2].
  const int16_t* part_sums;
  // These arrays have for each query: -128 times the sum of its codes, scale, <q, mean>, length of its rest, length of q', threshold.
  const int32_t* bias;
  const float *scale, *on_mean, *rest, *length, *threshold;
  /// Output: bit r is set where reference r may be near enough; then its bound is in bounds[query * 32 + r].
  uint32_t* hits;
  float* bounds;
};

/// A part of the dimensions: so many words, whose products a kernel may add up in 16 bits. There are two such sums, one over the first two
/// codes of each word, and one over the last two. By the inequality of Cauchy and Schwarz both fit if the product of both sides' squares is
/// below 2^30; the squares of a part are those of the codes of one sum, added up, of the larger one.
constexpr int64_t kPartWords = 8;
/// The squares of a part are so large, or larger.
constexpr uint16_t kLargeSquares = 65535;

struct KnnKernels {
  const char* name;
  /// The number of queries of a step.
  int queries;
  /// The largest magnitude of a query code that cannot overflow.
  int levels;
  void (*step)(const Step&);
  /// Finds the largest squares of sixteen rows in each part; null if `step` does not use them.
  void (*squares)(const uint8_t* codes, int64_t words, uint16_t* out);
  /// Sums in double precision, in some order: <a, b> and |a - b|^2.
  double (*dot)(const float*, const float*, int64_t);
  double (*square)(const float*, const float*, int64_t);
};

extern const KnnKernels knn_plain;
#ifdef KINDRED_X86
extern const KnnKernels knn_avx2, knn_avxvnni, knn_avx512;
#endif

}  // namespace kindred
