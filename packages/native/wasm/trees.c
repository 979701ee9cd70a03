/* Sums the leaves of decision trees for rows of features. A tree of numeric splits with at most 64 leaves is not walked: all of its
 * splits are compared with 16 rows at once, and each row crosses out the leaves that it cannot reach. Other trees are walked by
 * eight rows at a time. Rebuilt by tools/build-wasm.sh; the committed trees.wasm must be its output. src/trees/layout.ts writes
 * what this reads. */
#include <stdint.h>
#include <wasm_simd128.h>

#define LANES 8
#define BLOCK 32
#define PAIRS 8 /* number of rows that are compared at once, in pairs */
#define LEVELS 2 /* number of levels between checks whether all eight rows have reached a leaf */

/* A node, whose two children are side by side: the left one at `children`, the right one a node later (both are byte offsets from the
 * first node). A leaf has the threshold NaN, which sends every value right, to the leaf itself. */
typedef struct {
  union {
    double threshold;
    struct {
      uint32_t first_word; /* first word of the set's bits */
      uint32_t bits;
    } set;
  } test;
  uint32_t column; /* byte offset of a prepared column; CATEGORY marks a test of set membership */
  uint32_t children;
} node_t;

/* A split of a tree that is not walked. */
typedef struct {
  double threshold;
  uint64_t right; /* a bit for each leaf outside the left branch, from left to right */
  uint32_t column;
  uint32_t unused;
} split_t;

#define CATEGORY 0x80000000u

enum { NUMERIC, MIXED, COMPARED };

typedef struct {
  uint32_t root; /* byte offset of the root's node; for a compared tree, the number of its first split */
  uint32_t size; /* number of levels; for a compared tree, the number of its splits */
  uint32_t kind;
  uint32_t output;
  uint32_t first_leaf; /* first leaf of a compared tree; the others follow from left to right */
} tree_t;

typedef struct {
  uint32_t feature;
  uint32_t mode;
} column_t;

/* The ways in which a feature becomes a column whose missing values are replaced so that a comparison sends them in their default
 * direction. */
enum { NAN_AS_ZERO, NAN_LEFT, NAN_RIGHT, ZERO_LEFT, ZERO_RIGHT, CODE };

typedef struct {
  const node_t *nodes;
  const split_t *splits;
  const double *values; /* values of leaves, by node */
  const double *leaves; /* values of the leaves of compared trees */
  const uint32_t *words;
  const tree_t *trees;
  const column_t *columns;
  const double *features;
  double *prepared; /* prepared columns of BLOCK rows */
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
  for (uint32_t c = 0; c < run->n_columns; c++) {
    double *column = run->prepared + c * BLOCK;
    const double *features = run->features + (uint64_t)first * run->n_features + run->columns[c].feature;
    for (uint32_t r = 0; r < count; r++) column[r] = prepared_value(features[r * run->n_features], run->columns[c].mode);
    for (uint32_t r = count; r < BLOCK; r++) column[r] = 0;
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
  for (uint32_t group = 0; group < count; group += LANES) {
    const char *row = (const char *)(run->prepared + group);
    uint32_t at[LANES];
    for (int lane = 0; lane < LANES; lane++) at[lane] = tree->root;
    for (uint32_t depth = 0; depth < tree->size; depth += LEVELS) {
      uint32_t moved = 0;
      for (int level = 0; level < LEVELS; level++) {
        moved = 0;
#pragma clang loop unroll(full)
        for (int lane = 0; lane < LANES; lane++) {
          const uint32_t next = step(run, row + lane * sizeof(double), at[lane], mixed);
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

/* Compares a tree: every split keeps all leaves, or those right of it, and the first leaf that all splits keep is the one that a walk
 * would reach. */
static void compare_tree(const run_t *run, const tree_t *tree, uint32_t first, uint32_t count) {
  const split_t *splits = run->splits + tree->root;
  const double *leaves = run->leaves + tree->first_leaf;
  for (uint32_t group = 0; group < count; group += 2 * PAIRS) {
    const double *rows = run->prepared + group;
    v128_t left[PAIRS];
    for (int p = 0; p < PAIRS; p++) left[p] = wasm_i64x2_const(-1, -1);
    for (uint32_t s = 0; s < tree->size; s++) {
      const v128_t threshold = wasm_v128_load64_splat(&splits[s].threshold), right = wasm_v128_load64_splat(&splits[s].right);
      const v128_t *column = (const v128_t *)((const char *)rows + splits[s].column);
#pragma clang loop unroll(full)
      for (int p = 0; p < PAIRS; p++) left[p] = wasm_v128_and(left[p], wasm_v128_or(wasm_f64x2_le(column[p], threshold), right));
    }
    uint64_t reached[2 * PAIRS];
    for (int p = 0; p < PAIRS; p++) wasm_v128_store(reached + 2 * p, left[p]);
    double *sum = run->sums + (uint64_t)(first + group) * run->n_outputs + tree->output;
    const uint32_t rest = count - group < 2 * PAIRS ? count - group : 2 * PAIRS;
    for (uint32_t r = 0; r < rest; r++, sum += run->n_outputs) *sum += leaves[__builtin_ctzll(reached[r])];
  }
}

void walk(const run_t *run) {
  for (uint32_t first = 0; first < run->n_rows; first += BLOCK) {
    const uint32_t count = run->n_rows - first < BLOCK ? run->n_rows - first : BLOCK;
    prepare(run, first, count);
    for (uint32_t t = 0; t < run->n_trees; t++) {
      const tree_t *tree = run->trees + t;
      if (tree->kind == COMPARED) compare_tree(run, tree, first, count);
      else if (tree->kind == MIXED) walk_tree(run, tree, first, count, 1);
      else walk_tree(run, tree, first, count, 0);
    }
  }
}
