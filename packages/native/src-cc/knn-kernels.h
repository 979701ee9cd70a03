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
  // These arrays have for each query: -128 times the sum of its codes, scale, <q, mean>, length of its rest, length of q', threshold.
  const int32_t* bias;
  const float *scale, *on_mean, *rest, *length, *threshold;
  /// Output: bit r is set where reference r may be near enough; then its bound is in bounds[query * 32 + r].
  uint32_t* hits;
  float* bounds;
};

struct KnnKernels {
  const char* name;
  /// The number of queries of a step.
  int queries;
  /// The largest magnitude of a query code that cannot overflow.
  int levels;
  void (*step)(const Step&);
  /// Sums in double precision, in some order: <a, b> and |a - b|^2.
  double (*dot)(const float*, const float*, int64_t);
  double (*square)(const float*, const float*, int64_t);
};

extern const KnnKernels knn_plain;
#ifdef KINDRED_X86
extern const KnnKernels knn_avx2, knn_avxvnni, knn_avx512;
#endif

}  // namespace kindred
