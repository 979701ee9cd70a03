// The alignment kernels of the addon: pairs in the 16-bit lanes of a vector, and one pair in 32 bits.
#pragma once
#include <cstdint>

#include "align-batch.h"

namespace kindred {

struct AlignKernel {
  const char* name;
  int lanes;
  /// The maximum number of queries of a batch.
  int groups;
  /// The bytes of the trace of one cell in all lanes.
  int flag_bytes;
  int64_t (*work_bytes)(int64_t rows, int64_t columns, int64_t block);
  /// The kernel, which returns 1 if it was stopped.
  int32_t (*align)(const align_batch* batch);
};

extern const AlignKernel align_plain;
#ifdef KINDRED_X86
extern const AlignKernel align_avx2, align_avx512;
#endif

}  // namespace kindred
