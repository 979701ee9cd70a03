// The sequence network, with one table of functions for each instruction set.
#pragma once
#include "network-program.h"

namespace kindred {

struct NetworkKernels {
  const char* name;
  /// Fills the packed weights from int8 rows.
  void (*pack)(const network_t*, const int8_t* weights);
  /// Returns the bytes of memory for a window of this many residues, and sets its parts. If memory is null, the function only counts.
  int64_t (*work)(const network_t*, int residues, char* memory, work_t*);
  void (*vector)(const network_t*, const uint8_t* codes, int residues, float log_length, float* vector, const work_t*);
  void (*probabilities)(const network_t*, const float* vector, float* probabilities, const work_t*);
};

extern const NetworkKernels network_plain;
#ifdef KINDRED_X86
extern const NetworkKernels network_avx2, network_avxvnni, network_avx512;
#endif

}  // namespace kindred
