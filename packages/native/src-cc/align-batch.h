/* What an alignment kernel is given; plain C, since the WebAssembly kernels use it too. */
#pragma once
#include <stdint.h>

enum { MODE_GLOBAL = 0, MODE_LOCAL = 1, MODE_OVERLAP = 2 };
enum { BIT_PAIR = 1, BIT_QUERY_GAP = 2, BIT_OPEN_TARGET_GAP = 4, BIT_OPEN_QUERY_GAP = 8 };

/* All pointers are valid for the sizes given; the callers check. Residue codes are 0..31, 31 pads. */
typedef struct align_batch {
  int32_t mode, gap_open, gap_extend;
  /* Rows: residues of the longest query. Columns: residues of the longest target. Both at least 1. */
  int32_t rows, columns;
  /* Columns whose trace is held at once; with fewer than `columns`, blocks are computed a second time. */
  int32_t block;
  /* Query codes [rows x groups]: lanes g * LANES / groups ... share query g. groups is 1, 2 or 4. */
  int32_t groups;
  const uint8_t *query;
  /* Target codes [columns x LANES]. */
  const uint8_t *target;
  /* Scores [32 x 32], row: query residue. */
  const int8_t *matrix;
  /* Residues of each lane's query and target [LANES]; 0 and 0 for an idle lane. */
  const int32_t *query_length, *target_length;
  /* Scratch of work_bytes(), aligned to 64. */
  uint8_t *work;
  /* score, identical, similar, gaps, length [LANES x 5]. */
  int32_t *out;
  /* Asked now and then whether to stop, with `context`; may be null. WebAssembly kernels import it instead. */
  int32_t (*stopped)(void *context);
  void *context;
} align_batch;
