/* Walks decision trees for rows of features: eight rows at a time down one tree, without a branch on the data where the tree has
 * only numeric splits. Rebuilt by tools/build-wasm.sh; the committed trees.wasm must be its output. src/trees/layout.ts writes
 * what this reads. */
#include <stdint.h>

#define LANES 8
#define BLOCK 32
#define LEVELS 2 /* between looks whether all eight have arrived */

/* The two children of a node lie side by side: left at `children`, right one node later (both byte offsets from the first
 * node). A leaf has the threshold NaN, which sends every value right, to itself. */
typedef struct {
  union {
    double threshold;
    struct {
      uint32_t first_word; /* of the set's bits */
      uint32_t bits;
    } set;
  } test;
  uint32_t column; /* byte offset in a prepared row; CATEGORY marks a test of set membership */
  uint32_t children;
} node_t;

#define CATEGORY 0x80000000u

typedef struct {
  uint32_t root; /* byte offset of its node */
  uint32_t depth;
  uint32_t mixed; /* has a categorical split */
  uint32_t output;
} tree_t;

typedef struct {
  uint32_t feature;
  uint32_t mode;
} column_t;

/* How a feature becomes a column in which every missing value already stands where its default direction sends it. */
enum { NAN_AS_ZERO, NAN_LEFT, NAN_RIGHT, ZERO_LEFT, ZERO_RIGHT, CODE };

typedef struct {
  const node_t *nodes;
  const double *values; /* of leaves, by node */
  const uint32_t *words;
  const tree_t *trees;
  const column_t *columns;
  const double *features;
  double *prepared; /* BLOCK rows of columns */
  double *sums;
  uint32_t n_trees, n_columns, n_features, n_rows, n_outputs;
} run_t;

static const double zero_threshold = 1e-35f;

static double prepared_value(double x, uint32_t mode) {
  const double infinity = __builtin_inf();
  const int is_nan = x != x;
  const int is_zero = x <= zero_threshold && x >= -zero_threshold;
  if (mode == CODE) {
    const double limit = 2147483648.0;
    union { int32_t code; double slot; } cell = {.slot = 0};
    cell.code = x > -1.0 && x < limit ? (int32_t)x : -1;
    return cell.slot;
  }
  if (is_zero) x = 0;
  switch (mode) {
    case NAN_AS_ZERO: return is_nan ? 0 : x;
    case NAN_LEFT: return is_nan ? -infinity : x;
    case ZERO_LEFT: return is_nan || is_zero ? -infinity : x;
    case ZERO_RIGHT: return is_nan || is_zero ? __builtin_nan("") : x;
    default: return x;
  }
}

static void prepare(const run_t *run, uint32_t first, uint32_t count) {
  for (uint32_t r = 0; r < BLOCK; r++) {
    double *row = run->prepared + r * run->n_columns;
    if (r >= count) {
      for (uint32_t c = 0; c < run->n_columns; c++) row[c] = 0;
      continue;
    }
    const double *features = run->features + (uint64_t)(first + r) * run->n_features;
    for (uint32_t c = 0; c < run->n_columns; c++)
      row[c] = prepared_value(features[run->columns[c].feature], run->columns[c].mode);
  }
}

static inline __attribute__((always_inline)) uint32_t step(const run_t *run, const char *row, uint32_t at, int mixed) {
  const node_t *node = (const node_t *)((const char *)run->nodes + at);
  if (mixed && (node->column & CATEGORY)) {
    const uint32_t code = *(const uint32_t *)(row + (node->column & ~CATEGORY));
    if (code >= node->test.set.bits) return node->children + sizeof(node_t);
    const uint32_t word = run->words[node->test.set.first_word + (code >> 5)];
    return node->children + ((word >> (code & 31) & 1) ? 0 : sizeof(node_t));
  }
  const double value = *(const double *)(row + node->column);
  return node->children + (value <= node->test.threshold ? 0 : sizeof(node_t));
}

static inline __attribute__((always_inline)) void walk_tree(const run_t *run, const tree_t *tree, uint32_t first, uint32_t count, int mixed) {
  const uint32_t row_bytes = run->n_columns * sizeof(double);
  for (uint32_t group = 0; group < count; group += LANES) {
    const char *row = (const char *)run->prepared + group * row_bytes;
    uint32_t at[LANES];
    for (int lane = 0; lane < LANES; lane++) at[lane] = tree->root;
    for (uint32_t depth = 0; depth < tree->depth; depth += LEVELS) {
      uint32_t moved = 0;
      for (int level = 0; level < LEVELS; level++) {
        moved = 0;
#pragma clang loop unroll(full)
        for (int lane = 0; lane < LANES; lane++) {
          const uint32_t next = step(run, row + lane * row_bytes, at[lane], mixed);
          moved |= next ^ at[lane];
          at[lane] = next;
        }
      }
      if (!moved) break;
    }
    for (uint32_t lane = 0; lane < LANES && group + lane < count; lane++)
      run->sums[(uint64_t)(first + group + lane) * run->n_outputs + tree->output] += run->values[at[lane] / sizeof(node_t)];
  }
}

void walk(const run_t *run) {
  for (uint32_t first = 0; first < run->n_rows; first += BLOCK) {
    const uint32_t count = run->n_rows - first < BLOCK ? run->n_rows - first : BLOCK;
    prepare(run, first, count);
    for (uint32_t t = 0; t < run->n_trees; t++) {
      const tree_t *tree = run->trees + t;
      if (tree->mixed) walk_tree(run, tree, first, count, 1);
      else walk_tree(run, tree, first, count, 0);
    }
  }
}
