/* The sequence network as the kernels read it. packages/native/src/network/layout.ts writes it; offsets of floats count from the first
 * float, those of packed weights from the first packed weight. The file is in the common subset of C and C++. */
#ifndef KINDRED_NETWORK_PROGRAM_H
#define KINDRED_NETWORK_PROGRAM_H

#include <stdint.h>

/* The number of rows of a matrix that are multiplied together. They are packed as [columns / 2][PANEL][2], so that two neighbours of a
 * column share 32 bits. */
#define PANEL 32

typedef struct {
  int32_t rows, columns;
  int32_t padded; /* number of columns, filled up to an even number */
  int32_t taps;
  int32_t levels;  /* greatest integer of the input */
  int32_t scales;  /* place of the scales among the floats, one for each row */
  int32_t bias;    /* place of the bias among the floats */
  int32_t weights; /* place of the int8 weights [rows][columns], counted from the first weight */
  int32_t packed;
} matrix_t;

enum { BLOCK, HALVE, ATTENTION };

/* The numbers of matrices, and offsets of floats. A block has first (taps) and second; attention has first (queries, keys and values),
 * second (out), third (up) and fourth (down). */
typedef struct {
  int32_t kind, dilation;
  int32_t norm_weight, norm_bias, scale;
  int32_t first, second, third, fourth;
  int32_t other_norm_weight, other_norm_bias, other_scale;
} step_t;

typedef struct {
  int32_t norm_weight, norm_bias;
  int32_t scores, values, maxima, to_vector;
  int32_t vector_norm_weight, vector_norm_bias;
} pool_t;

/* The head of the words; matrices and steps follow it. */
typedef struct {
  int32_t channels, symbols, stem_taps;
  int32_t embedding, stem, stem_bias, cosines, sines;
  int32_t heads, row_levels, pool_heads, head;
  int32_t longest; /* greatest number of residues */
  int32_t n_matrices, n_steps;
  pool_t pool;
} head_t;

typedef struct {
  const head_t *h;
  const matrix_t *matrices;
  const step_t *steps;
  const float *floats;
  int16_t *packed;
} network_t;

/* The memory for intermediate results. */
typedef struct {
  float *fine;       /* positions before they are halved */
  float *coarse;     /* positions after they are halved */
  float *wide;       /* the widest rows */
  float *mixed;      /* normed rows, and results of attention */
  float *scores;
  float *features;   /* scores of pooling */
  int16_t *integers; /* rows of the input of a layer, with zeros before and behind */
  int16_t *keys, *values, *weights;
  int32_t *sums;
} work_t;

#endif
