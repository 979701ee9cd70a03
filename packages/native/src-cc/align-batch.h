/* The input of an alignment kernel, in plain C, because the WebAssembly kernels use it, too. */
#pragma once
#include <stdint.h>

enum { MODE_GLOBAL = 0, MODE_LOCAL = 1, MODE_OVERLAP = 2 };
enum { BIT_PAIR = 1, BIT_QUERY_GAP = 2, BIT_OPEN_TARGET_GAP = 4, BIT_OPEN_QUERY_GAP = 8 };

/* All pointers are valid for the given sizes, which the callers check. Residue codes are 0..31, and 31 is padding. */
typedef struct align_batch {
  int32_t mode, gap_open, gap_extend;
  /* The residues of the longest query (rows) and of the longest target (columns), both at least 1. */
  int32_t rows, columns;
  /* The number of columns whose trace is held at once. If it is below `columns`, blocks are computed a second time. */
  int32_t block;
  /* The query codes [rows x groups]: lanes g * LANES / groups ... share query g. groups is 1, 2 or 4. */
  int32_t groups;
  const uint8_t *query;
  /* The target codes [columns x LANES]. */
  const uint8_t *target;
  /* The scores [32 x 32]; the row is that of the query residue. */
  const int8_t *matrix;
  /* The residues of each lane's query and target [LANES]; both are 0 for an idle lane. */
  const int32_t *query_length, *target_length;
  /* The work space of work_bytes(), aligned to 64. */
  uint8_t *work;
  /* Output: score, identical, similar, gaps, length [LANES x 5]. */
  int32_t *out;
  /* A function that is called regularly with `context` and says whether to stop; may be null. WebAssembly kernels import it instead. */
  int32_t (*stopped)(void *context);
  void *context;
} align_batch;
