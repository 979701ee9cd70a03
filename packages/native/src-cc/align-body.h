/* Affine-gap alignment of a batch of pairs, one pair a lane. Included once for each lane type; before the include:
 *
 *   NAME(x)                      decorates the functions
 *   lane_t, LANES                element of a lane (int16_t or int32_t), lanes of a vector
 *   vec                          vector of LANES lane_t
 *   v_load v_store v_splat v_add v_sub v_max
 *   v_any_greater(a, b)          is a > b in any lane?
 *   v_scores(row, letters, add)  row[letters[lane]] + add, row of 32 int8_t, letters of LANES uint8_t
 *   FLAG_BYTES                   trace bits of one cell in all lanes
 *   v_flags_store(p, a, b, c, d, e, f, g, h)   stores the lanes of a == b, c == d, e > f, g > h
 *   v_flags_lane(p, lane)        those four as bits 0..3
 *   STOPPED(batch)               whether to stop; has a default
 *
 * The choice among alignments of equal score is documented at alignPlain (packages/kernels/src/alignment/plain.ts). */

typedef struct {
  const align_batch *batch;
  /* The values after i query residues: h[i] - gap_open, and the best score with a gap at the end that consumes the target. */
  lane_t *g, *e;
  lane_t *profile;
  /* The best h of a column up to every MARK_ROWS-th row. */
  lane_t *marks;
  lane_t *kept;
  uint8_t *trace;
  lane_t best[LANES];
  int32_t end_i[LANES], end_j[LANES];
} NAME(state);

#define STRIDE ((int64_t)LANES)
#define MARK_ROWS 32
/* The number of cells between two calls of `stopped`, some hundredths of a second. */
#define CELLS_PER_QUESTION 20000000
#ifndef STOPPED
#define STOPPED(batch) ((batch)->stopped != 0 && (batch)->stopped((batch)->context))
#endif
/* A value far below every real score, which is still a gap above the smallest lane_t. */
#define MINUS_INFINITY ((lane_t)(sizeof(lane_t) == 2 ? -32000 : -2000000000))

static int64_t NAME(round64)(int64_t bytes) { return (bytes + 63) & ~(int64_t)63; }

/* Returns the bytes of the profile and the marks. */
static int64_t NAME(tables)(int64_t rows) {
  return NAME(round64)((32 + rows / MARK_ROWS + 1) * STRIDE * (int64_t)sizeof(lane_t));
}

int64_t NAME(work_bytes)(int64_t rows, int64_t columns, int64_t block) {
  int64_t column = NAME(round64)((rows + 1) * STRIDE * (int64_t)sizeof(lane_t));
  int64_t blocks = (columns + block - 1) / block;
  int64_t trace = NAME(round64)((block < columns ? block : columns) * rows * FLAG_BYTES);
  return 2 * column + NAME(tables)(rows) + (blocks > 1 ? 2 * column * blocks : 0) + trace;
}

static int32_t NAME(end_gap)(const align_batch *b, int32_t n) {
  return n == 0 || b->mode != MODE_GLOBAL ? 0 : -b->gap_open - (n - 1) * b->gap_extend;
}

static void NAME(start)(NAME(state) *s, const align_batch *b) {
  int64_t column = NAME(round64)((b->rows + 1) * STRIDE * (int64_t)sizeof(lane_t));
  int64_t blocks = ((int64_t)b->columns + b->block - 1) / b->block;
  uint8_t *p = b->work;
  s->batch = b;
  s->g = (lane_t *)p;
  s->e = (lane_t *)(p + column);
  s->profile = (lane_t *)(p + 2 * column);
  s->marks = s->profile + 32 * STRIDE;
  p += 2 * column + NAME(tables)(b->rows);
  s->kept = (lane_t *)p;
  s->trace = p + (blocks > 1 ? 2 * column * blocks : 0);
  for (int32_t i = 0; i <= b->rows; i++) {
    v_store(s->g + i * STRIDE, v_splat((lane_t)(NAME(end_gap)(b, i) - b->gap_open)));
    v_store(s->e + i * STRIDE, v_splat(MINUS_INFINITY));
  }
  for (int lane = 0; lane < LANES; lane++) {
    s->best[lane] = b->mode == MODE_LOCAL ? 0 : MINUS_INFINITY;
    s->end_i[lane] = s->end_j[lane] = 0;
  }
}

static void NAME(copy)(void *to, const void *from, int64_t bytes) { __builtin_memcpy(to, from, (size_t)bytes); }

/* Saves the state before a block, or restores it. */
static void NAME(keep)(NAME(state) *s, int64_t block, int restore) {
  int64_t column = NAME(round64)((s->batch->rows + 1) * STRIDE * (int64_t)sizeof(lane_t));
  uint8_t *at = (uint8_t *)s->kept + block * 2 * column;
  if (restore) NAME(copy)(s->g, at, 2 * column);
  else NAME(copy)(at, s->g, 2 * column);
}

/* Turns column j into column j + 1. Where `local`, returns the best h of each lane in the new column. */
static inline __attribute__((always_inline)) vec NAME(advance)(NAME(state) *s, int32_t j, int32_t rows, uint8_t *trace, int local, int groups) {
  const align_batch *b = s->batch;
  const uint8_t *letters = b->target + j * STRIDE;
  for (int code = 0; code < 32; code++) {
    v_store(s->profile + code * STRIDE, v_scores(b->matrix + code * 32, letters, (lane_t)b->gap_open));
  }
  const vec open = v_splat((lane_t)b->gap_open), extend = v_splat((lane_t)b->gap_extend), zero = v_splat(0);
  lane_t *g = s->g, *e = s->e;
  vec diagonal = v_load(g);
  vec above = v_splat((lane_t)(NAME(end_gap)(b, j + 1) - b->gap_open));
  v_store(g, above);
  vec f = v_splat(MINUS_INFINITY), best = zero;
  const uint8_t *query = b->query;
  lane_t *mark = s->marks;
  for (int32_t first = 0; first < rows; first += MARK_ROWS) {
    const int32_t last = rows - first < MARK_ROWS ? rows : first + MARK_ROWS;
    for (int32_t i = first; i < last; i++) {
      g += STRIDE;
      e += STRIDE;
      const vec left = v_load(g);
      const vec pair = v_add(diagonal, v_profile(s->profile, query, groups));
      query += groups;
      const vec e_longer = v_sub(v_load(e), extend);
      const vec e_new = v_max(left, e_longer);
      v_store(e, e_new);
      const vec f_longer = v_sub(f, extend);
      f = v_max(above, f_longer);
      vec h = v_max(v_max(pair, e_new), f);
      if (trace) {
        v_flags_store(trace, h, pair, h, f, left, e_longer, above, f_longer);
        trace += FLAG_BYTES;
      }
      if (local) {
        h = v_max(h, zero);
        best = v_max(best, h);
      }
      above = v_sub(h, open);
      v_store(g, above);
      diagonal = left;
    }
    if (local) v_store(mark, best);
    mark += STRIDE;
  }
  return best;
}

/* Finds the first row of column j + 1 that holds each lane's new best score. */
static void NAME(find_best)(NAME(state) *s, int32_t j, vec column_best) {
  lane_t found[LANES];
  v_store(found, column_best);
  for (int lane = 0; lane < LANES; lane++) {
    if (found[lane] <= s->best[lane]) continue;
    s->best[lane] = found[lane];
    const lane_t wanted = (lane_t)(found[lane] - s->batch->gap_open);
    const lane_t *mark = s->marks + lane, *g = s->g + lane;
    int32_t i = 1;
    for (; *mark != found[lane]; mark += STRIDE) i += MARK_ROWS;
    while (g[i * STRIDE] != wanted) i++;
    s->end_i[lane] = i;
    s->end_j[lane] = j + 1;
  }
}

static void NAME(consider)(NAME(state) *s, int lane, int32_t i, int32_t j) {
  const lane_t h = (lane_t)(s->g[i * STRIDE + lane] + s->batch->gap_open);
  if (h <= s->best[lane]) return;
  s->best[lane] = h;
  s->end_i[lane] = i;
  s->end_j[lane] = j;
}

/* Finds the ends of global and overlap alignments in column j, counted from 1. */
static void NAME(find_end)(NAME(state) *s, int32_t j) {
  const align_batch *b = s->batch;
  for (int lane = 0; lane < LANES; lane++) {
    const int32_t m = b->query_length[lane], n = b->target_length[lane];
    if (m == 0 || j > n) continue;
    if (b->mode == MODE_OVERLAP) {
      for (int32_t i = j == n ? 1 : m; i <= m; i++) NAME(consider)(s, lane, i, j);
    } else if (j == n) NAME(consider)(s, lane, m, j);
  }
}

/* Fills the columns from .. to - 1. Returns 1 if the computation was stopped before the end. */
static inline __attribute__((always_inline)) int32_t NAME(fill_as)(NAME(state) *s, int32_t from, int32_t to, uint8_t *trace, int local, int groups, int ends) {
  const align_batch *b = s->batch;
  const int64_t step = CELLS_PER_QUESTION / (b->rows * STRIDE) + 1;
  int64_t left = step;
  for (int32_t j = from; j < to; j++) {
    if (left-- == 0) {
      if (STOPPED(b)) return 1;
      left = step;
    }
    uint8_t *cells = trace ? trace + (int64_t)(j - from) * b->rows * FLAG_BYTES : (uint8_t *)0;
    const vec best = NAME(advance)(s, j, b->rows, cells, local, groups);
    if (!ends) continue;
    if (!local) NAME(find_end)(s, j + 1);
    else if (v_any_greater(best, v_load(s->best))) NAME(find_best)(s, j, best);
  }
  return 0;
}

static inline __attribute__((always_inline)) int32_t NAME(fill_groups)(NAME(state) *s, int32_t from, int32_t to, int traced, int ends, int groups) {
  const int local = s->batch->mode == MODE_LOCAL;
  if (traced && local) return NAME(fill_as)(s, from, to, s->trace, 1, groups, ends);
  if (traced) return NAME(fill_as)(s, from, to, s->trace, 0, groups, ends);
  if (local) return NAME(fill_as)(s, from, to, (uint8_t *)0, 1, groups, ends);
  return NAME(fill_as)(s, from, to, (uint8_t *)0, 0, groups, ends);
}

static int32_t NAME(fill)(NAME(state) *s, int32_t from, int32_t to, int traced, int ends) {
#ifdef LANE_GROUPS
  if (s->batch->groups == 4) return NAME(fill_groups)(s, from, to, traced, ends, 4);
  if (s->batch->groups == 2) return NAME(fill_groups)(s, from, to, traced, ends, 2);
#endif
  return NAME(fill_groups)(s, from, to, traced, ends, 1);
}

typedef struct {
  int32_t i, j, left, state, identical, similar, gaps, length;
} NAME(walk);

/* Follows one lane's trace back to the column before `first`, or to the alignment's beginning. */
static void NAME(walk_block)(const NAME(state) *s, int lane, int32_t first, NAME(walk) *w) {
  const align_batch *b = s->batch;
  const int local = b->mode == MODE_LOCAL;
  const int group = lane / (LANES / b->groups);
  NAME(walk) c = *w;
  while (c.i > 0 && c.j > first) {
    if (local && c.state == 0 && c.left == 0) break;
    const uint8_t *cell = s->trace + ((int64_t)(c.j - 1 - first) * b->rows + (c.i - 1)) * FLAG_BYTES;
    const int bits = v_flags_lane(cell, lane);
    if (c.state == 0) {
      if (bits & BIT_PAIR) {
        const uint8_t q = b->query[(int64_t)(c.i - 1) * b->groups + group], t = b->target[(c.j - 1) * STRIDE + lane];
        const int score = b->matrix[q * 32 + t];
        c.identical += q == t;
        c.similar += score > 0;
        c.left -= score;
        c.length++;
        c.i--;
        c.j--;
        continue;
      }
      c.state = bits & BIT_QUERY_GAP ? BIT_OPEN_QUERY_GAP : BIT_OPEN_TARGET_GAP;
    }
    const int opened = bits & c.state;
    c.left += opened ? b->gap_open : b->gap_extend;
    c.gaps++;
    c.length++;
    if (c.state == BIT_OPEN_QUERY_GAP) c.i--;
    else c.j--;
    if (opened) c.state = 0;
  }
  *w = c;
}

static void NAME(finish)(const NAME(state) *s, int lane, const NAME(walk) *w) {
  const align_batch *b = s->batch;
  int32_t *out = b->out + lane * 5;
  int32_t outside = 0;
  if (b->mode != MODE_LOCAL && b->query_length[lane] > 0) {
    outside = w->i + w->j + (b->query_length[lane] - s->end_i[lane]) + (b->target_length[lane] - s->end_j[lane]);
  }
  out[0] = s->best[lane];
  out[1] = w->identical;
  out[2] = w->similar;
  out[3] = w->gaps + outside;
  out[4] = w->length + outside;
}

/* Aligns the batch. Returns 1, without a result, if it was stopped. */
int32_t NAME(align)(const align_batch *b) {
  NAME(state) s;
  NAME(walk) walks[LANES];
  NAME(start)(&s, b);
  const int32_t blocks = (int32_t)(((int64_t)b->columns + b->block - 1) / b->block);
  for (int32_t block = 0; block < blocks; block++) {
    const int32_t from = block * b->block;
    const int32_t to = b->columns - from < b->block ? b->columns : from + b->block;
    if (block > 0 && STOPPED(b)) return 1;
    if (blocks > 1) NAME(keep)(&s, block, 0);
    /* The trace of the last block is needed first, so it is written at once. */
    if (NAME(fill)(&s, from, to, block == blocks - 1, 1)) return 1;
  }
  for (int lane = 0; lane < LANES; lane++) {
    const NAME(walk) w = {s.end_i[lane], s.end_j[lane], s.best[lane], 0, 0, 0, 0, 0};
    walks[lane] = w;
  }
  for (int32_t block = blocks - 1; block >= 0; block--) {
    const int32_t from = block * b->block;
    if (block < blocks - 1) {
      if (STOPPED(b)) return 1;
      NAME(keep)(&s, block, 1);
      if (NAME(fill)(&s, from, from + b->block, 1, 0)) return 1;
    }
    for (int lane = 0; lane < LANES; lane++) NAME(walk_block)(&s, lane, from, &walks[lane]);
  }
  for (int lane = 0; lane < LANES; lane++) NAME(finish)(&s, lane, &walks[lane]);
  return 0;
}

#undef STRIDE
#undef MARK_ROWS
#undef CELLS_PER_QUESTION
#undef MINUS_INFINITY
