/* The sequence network: from the codes of a window's letters to a vector, and from a vector to probabilities. The file is compiled once
 * for each instruction set and for WebAssembly, which include it after they have defined
 * 
 *   TILE_ROWS                                  rows of a tile
 *   tile(rows, x, stride, panel, pairs, sums)  adds products of up to TILE_ROWS rows with a panel to sums [rows][PANEL]
 * 
 * Results are the bits of packages/kernels/src/network: products are exact sums of integers, and float32 arithmetic keeps one order
 * (sums in LANES lanes; no fused multiply-add). The file is in the common subset of C and C++. */
#ifndef KINDRED_NETWORK_BODY_H
#define KINDRED_NETWORK_BODY_H

#include <stdint.h>

#include "network-program.h"

#define LANES 16
/* The number of rows of a block, whose sums stay in the second-level cache together with the tap of a panel that they share. */
#define BLOCK_ROWS 192
#define ATTENTION_ROWS 96
#define ROUNDING 12582912.0f


static inline float magnitude(float x) { return __builtin_fabsf(x); }
static inline float nearest_integer(float x) { return (x + ROUNDING) - ROUNDING; }

static inline float exponential_of(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 87.0f ? 87.0f : x;
  const float power = nearest_integer(x * 1.44269504f);
  const float rest = (x - power * 0.693359375f) - power * -2.12194440e-4f;
  float sum = 1.0f / 5040.0f;
  sum = sum * rest + 1.0f / 720.0f;
  sum = sum * rest + 1.0f / 120.0f;
  sum = sum * rest + 1.0f / 24.0f;
  sum = sum * rest + 1.0f / 6.0f;
  sum = sum * rest + 0.5f;
  sum = sum * rest + 1.0f;
  sum = sum * rest + 1.0f;
  const int32_t bits = (int32_t)((uint32_t)((int32_t)power + 127) << 23);
  float factor;
  __builtin_memcpy(&factor, &bits, 4);
  return sum * factor;
}

static inline float gelu(float x) {
  const float size = magnitude(x);
  const float scaled = size * 0.707106781f;
  const float t = 1.0f / (1.0f + 0.3275911f * scaled);
  float polynomial = 1.061405429f;
  polynomial = polynomial * t + -1.453152027f;
  polynomial = polynomial * t + 1.421413741f;
  polynomial = polynomial * t + -0.284496736f;
  polynomial = polynomial * t + 0.254829592f;
  const float rest = (polynomial * t) * exponential_of(-(scaled * scaled));
  return 0.5f * (x + size * (1.0f - rest));
}

/* Adds the lanes in halves. */
static inline float lane_sum(float *lanes) {
  for (int width = LANES / 2; width >= 1; width /= 2)
    for (int lane = 0; lane < width; lane++) lanes[lane] += lanes[lane + width];
  return lanes[0];
}

static float greatest_magnitude(const float *x, int rows, int stride, int columns) {
  float lanes[LANES] = {0};
  for (int row = 0; row < rows; row++) {
    const float *from = x + (int64_t)row * stride;
    int i = 0;
    for (; i + LANES <= columns; i += LANES)
      for (int lane = 0; lane < LANES; lane++) {
        const float size = magnitude(from[i + lane]);
        lanes[lane] = size > lanes[lane] ? size : lanes[lane];
      }
    for (; i < columns; i++) lanes[0] = magnitude(from[i]) > lanes[0] ? magnitude(from[i]) : lanes[0];
  }
  for (int lane = 1; lane < LANES; lane++) lanes[0] = lanes[lane] > lanes[0] ? lanes[lane] : lanes[0];
  return lanes[0];
}

/* Turns rows of x into integers of at most `levels`, and returns the step. */
static float quantize(const float *x, int rows, int stride, int columns, int levels, int16_t *out) {
  const float greatest = greatest_magnitude(x, rows, stride, columns);
  const float factor = greatest == 0.0f ? 0.0f : (float)levels / greatest;
  for (int row = 0; row < rows; row++) {
    const float *from = x + (int64_t)row * stride;
    int16_t *to = out + (int64_t)row * columns;
    for (int i = 0; i < columns; i++) to[i] = (int16_t)(int32_t)nearest_integer(from[i] * factor);
  }
  return greatest == 0.0f ? 0.0f : greatest / (float)levels;
}

static void normalize(const float *x, int rows, int channels, const float *weight, const float *bias, float *out) {
  for (int row = 0; row < rows; row++, x += channels, out += channels) {
    float lanes[LANES] = {0};
    for (int i = 0; i < channels; i += LANES)
      for (int lane = 0; lane < LANES; lane++) lanes[lane] += x[i + lane];
    const float mean = lane_sum(lanes) / (float)channels;
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = 0;
    for (int i = 0; i < channels; i += LANES)
      for (int lane = 0; lane < LANES; lane++) {
        const float apart = x[i + lane] - mean;
        lanes[lane] += apart * apart;
      }
    const float factor = 1.0f / __builtin_sqrtf(lane_sum(lanes) / (float)channels + 1e-5f);
    for (int i = 0; i < channels; i++) out[i] = ((x[i] - mean) * factor) * weight[i] + bias[i];
  }
}

static void clear(void *memory, int64_t bytes) { __builtin_memset(memory, 0, (unsigned long)bytes); }

static void accumulate(const int16_t *x, int stride, const int16_t *panel, int pairs, int rows, int32_t *sums) {
  for (; rows >= TILE_ROWS; rows -= TILE_ROWS, x += (int64_t)TILE_ROWS * stride, sums += TILE_ROWS * PANEL)
    tile(TILE_ROWS, x, stride, panel, pairs, sums);
  if (rows > 0) tile(rows, x, stride, panel, pairs, sums);
}

enum { STORE, GELU, ADD };

typedef struct {
  float *to;
  int stride, mode;
  const float *scale; /* scale of each column, for ADD */
} destination_t;

/* Finishes up to PANEL columns of some rows. */
static void finish(const int32_t *sums, int rows, int first, int columns, const float *factor, const float *bias, destination_t d) {
  float *to = d.to + first;
  for (int row = 0; row < rows; row++, sums += PANEL, to += d.stride) {
    float y[PANEL];
    for (int i = 0; i < PANEL; i++) y[i] = (float)sums[i] * factor[i] + bias[i];
    if (d.mode == GELU)
      for (int i = 0; i < PANEL; i++) y[i] = gelu(y[i]);
    if (d.mode == ADD)
      for (int i = 0; i < columns; i++) to[i] = to[i] + d.scale[first + i] * y[i];
    else if (columns == PANEL)
      __builtin_memcpy(to, y, sizeof y);
    else
      for (int i = 0; i < columns; i++) to[i] = y[i];
  }
}

/* Multiplies rows by a matrix. Row r of a layer with taps reads rows r, r + dilation ... of x. */
static void multiply(const network_t *net, const matrix_t *m, const int16_t *x, int rows, float step, int dilation, destination_t d,
                     int32_t *sums) {
  const int channels = m->padded / m->taps;
  for (int start = 0; start < rows; start += BLOCK_ROWS) {
    const int count = rows - start < BLOCK_ROWS ? rows - start : BLOCK_ROWS;
    const int16_t *panel = net->packed + m->packed;
    for (int first = 0; first < m->rows; first += PANEL, panel += (int64_t)m->padded * PANEL) {
      const int columns = m->rows - first < PANEL ? m->rows - first : PANEL;
      clear(sums, (int64_t)count * PANEL * 4);
      for (int tap = 0; tap < m->taps; tap++)
        accumulate(x + (int64_t)(start + tap * dilation) * channels, channels, panel + (int64_t)tap * channels * PANEL, channels / 2, count,
                   sums);
      float factor[PANEL] = {0}, bias[PANEL] = {0};
      for (int i = 0; i < columns; i++) {
        factor[i] = step * net->floats[m->scales + first + i];
        bias[i] = net->floats[m->bias + first + i];
      }
      destination_t rest = d;
      rest.to += (int64_t)start * d.stride;
      finish(sums, count, first, columns, factor, bias, rest);
    }
  }
}

/* Computes a linear layer of rows in float32. */
static void dense(const network_t *net, int number, const float *x, int rows, destination_t d, const work_t *work) {
  const matrix_t *m = net->matrices + number;
  const float step = quantize(x, rows, m->padded, m->padded, m->levels, work->integers);
  multiply(net, m, work->integers, rows, step, 1, d, work->sums);
}

static void add_block(const network_t *net, const step_t *s, float *x, int rows, const work_t *work) {
  const matrix_t *taps = net->matrices + s->first;
  const int channels = taps->padded / taps->taps;
  const int reach = (taps->taps - 1) / 2 * s->dilation;
  const int64_t edge = (int64_t)reach * channels;
  normalize(x, rows, channels, net->floats + s->norm_weight, net->floats + s->norm_bias, work->wide);
  clear(work->integers, edge * 2);
  const float step = quantize(work->wide, rows, channels, channels, taps->levels, work->integers + edge);
  clear(work->integers + edge + (int64_t)rows * channels, edge * 2);
  const destination_t inner = {work->wide, taps->rows, GELU, 0};
  multiply(net, taps, work->integers, rows, step, s->dilation, inner, work->sums);
  const destination_t back = {x, channels, ADD, net->floats + s->scale};
  dense(net, s->second, work->wide, rows, back, work);
}

/* Turns scores into exponentials of the distance to the greatest one, and returns their sum in lanes. n is filled up to LANES with 0. */
static float exponentials(float *scores, int n) {
  const int end = (n + LANES - 1) / LANES * LANES;
  float lanes[LANES];
  for (int lane = 0; lane < LANES; lane++) lanes[lane] = scores[0];
  for (int i = n; i < end; i++) scores[i] = scores[0];
  for (int i = 0; i < end; i += LANES)
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = scores[i + lane] > lanes[lane] ? scores[i + lane] : lanes[lane];
  for (int lane = 1; lane < LANES; lane++) lanes[0] = lanes[lane] > lanes[0] ? lanes[lane] : lanes[0];
  const float greatest = lanes[0];
  for (int i = 0; i < end; i++) scores[i] = exponential_of(scores[i] - greatest);
  for (int i = n; i < end; i++) scores[i] = 0;
  for (int lane = 0; lane < LANES; lane++) lanes[lane] = 0;
  for (int i = 0; i < end; i += LANES)
    for (int lane = 0; lane < LANES; lane++) lanes[lane] += scores[i + lane];
  return lane_sum(lanes);
}

static void rotate(const network_t *net, float *joined, int rows, int channels, int each) {
  const int half = each / 2;
  for (int row = 0; row < rows; row++) {
    const float *cosines = net->floats + net->h->cosines + (int64_t)row * half, *sines = net->floats + net->h->sines + (int64_t)row * half;
    float *from = joined + (int64_t)row * 3 * channels;
    for (int start = 0; start < 2 * channels; start += each)
      for (int i = 0; i < half; i++) {
        const float first = from[start + i], second = from[start + i + half];
        from[start + i] = first * cosines[i] - second * sines[i];
        from[start + i + half] = second * cosines[i] + first * sines[i];
      }
  }
}

/* Arranges keys of a head [rows][each] in panels of PANEL keys. */
static void pack_keys(const int16_t *keys, int rows, int each, int16_t *panels) {
  clear(panels, (int64_t)(rows + PANEL - 1) / PANEL * PANEL * each * 2);
  for (int row = 0; row < rows; row++, keys += each) {
    int16_t *to = panels + (int64_t)(row / PANEL) * each * PANEL + row % PANEL * 2;
    for (int i = 0; i < each; i += 2, to += PANEL * 2) {
      to[0] = keys[i];
      to[1] = keys[i + 1];
    }
  }
}

/* Arranges values of a head [rows][each], of PANEL channels or fewer, in one panel. */
static void pack_values(const int16_t *values, int rows, int each, int16_t *panel) {
  clear(panel, (int64_t)(rows + 1) / 2 * PANEL * 4);
  for (int row = 0; row < rows; row++, values += each)
    for (int i = 0; i < each; i++) panel[(int64_t)(row / 2) * PANEL * 2 + i * 2 + row % 2] = values[i];
}

/* Turns the weights of a query into integers [even number of rows], and returns their sum. */
static int32_t integer_weights(float *scores, int rows, int16_t *weights) {
  const float sum = exponentials(scores, rows);
  const float wanted = 500000.0f / sum;
  const float scale = wanted < 32767.0f ? wanted : 32767.0f;
  int32_t total = 0;
  for (int i = 0; i < rows; i++) {
    const int32_t weight = (int32_t)nearest_integer(scores[i] * scale);
    weights[i] = (int16_t)weight;
    total += weight;
  }
  if (rows % 2 == 1) weights[rows] = 0;
  return total;
}

typedef struct {
  int rows, channels, each;
  float factor;         /* factor of a product of integers, for a score */
  float step;           /* step of the values */
  float *to;            /* output: [rows][channels] */
} head_work_t;

/* Computes attention for `count` queries of a head [rows][each], from `start` on. */
static void attend(const work_t *work, const head_work_t *h, int start, int count) {
  const int width = (h->rows + PANEL - 1) / PANEL * PANEL, even = (h->rows + 1) / 2 * 2;
  const int16_t *queries = work->integers + (int64_t)start * h->each;
  for (int first = 0; first < width; first += PANEL) {
    clear(work->sums, (int64_t)count * PANEL * 4);
    accumulate(queries, h->each, work->keys + (int64_t)first * h->each, h->each / 2, count, work->sums);
    for (int row = 0; row < count; row++)
      for (int i = 0; i < PANEL; i++) work->scores[(int64_t)row * width + first + i] = (float)work->sums[row * PANEL + i] * h->factor;
  }
  float factors[ATTENTION_ROWS];
  for (int row = 0; row < count; row++)
    factors[row] = h->step / (float)integer_weights(work->scores + (int64_t)row * width, h->rows, work->weights + (int64_t)row * even);
  clear(work->sums, (int64_t)count * PANEL * 4);
  accumulate(work->weights, even, work->values, even / 2, count, work->sums);
  for (int row = 0; row < count; row++) {
    float *to = h->to + (int64_t)(start + row) * h->channels;
    for (int i = 0; i < h->each; i++) to[i] = (float)work->sums[row * PANEL + i] * factors[row];
  }
}

static void mix(const network_t *net, int rows, int channels, const work_t *work) {
  const int each = channels / net->h->heads, levels = net->h->row_levels;
  const int64_t part = (int64_t)rows * each;
  rotate(net, work->wide, rows, channels, each);
  for (int head = 0; head < net->h->heads; head++) {
    const float *joined = work->wide + head * each;
    int16_t *keys = work->integers + part, *values = keys + part;
    /* The head has steps of its own, which keep more of a head with small numbers. */
    const float query_step = quantize(joined, rows, 3 * channels, each, levels, work->integers);
    const float key_step = quantize(joined + channels, rows, 3 * channels, each, levels, keys);
    const float step = quantize(joined + 2 * channels, rows, 3 * channels, each, 4095, values);
    const float factor = (query_step * key_step) * (1.0f / __builtin_sqrtf((float)each));
    const head_work_t h = {rows, channels, each, factor, step, work->mixed + head * each};
    pack_keys(keys, rows, each, work->keys);
    pack_values(values, rows, each, work->values);
    for (int start = 0; start < rows; start += ATTENTION_ROWS)
      attend(work, &h, start, rows - start < ATTENTION_ROWS ? rows - start : ATTENTION_ROWS);
  }
}

static void add_attention(const network_t *net, const step_t *s, float *x, int rows, const work_t *work) {
  const int channels = net->matrices[s->first].padded, inner = net->matrices[s->third].rows;
  const destination_t joined = {work->wide, 3 * channels, STORE, 0};
  normalize(x, rows, channels, net->floats + s->norm_weight, net->floats + s->norm_bias, work->mixed);
  dense(net, s->first, work->mixed, rows, joined, work);
  mix(net, rows, channels, work);
  const destination_t back = {x, channels, ADD, net->floats + s->scale};
  dense(net, s->second, work->mixed, rows, back, work);
  normalize(x, rows, channels, net->floats + s->other_norm_weight, net->floats + s->other_norm_bias, work->mixed);
  const destination_t up = {work->wide, inner, GELU, 0};
  dense(net, s->third, work->mixed, rows, up, work);
  const destination_t down = {x, channels, ADD, net->floats + s->other_scale};
  dense(net, s->fourth, work->wide, rows, down, work);
}

/* Applies the embedding and the first convolution. */
static void begin(const network_t *net, const uint8_t *codes, int residues, float *x) {
  const int channels = net->h->channels, reach = (net->h->stem_taps - 1) / 2;
  for (int position = 0; position < residues; position++, x += channels) {
    const float *bias = net->floats + net->h->stem_bias;
    for (int i = 0; i < channels; i++) x[i] = bias[i];
    for (int tap = 0; tap < net->h->stem_taps; tap++) {
      const int from = position + tap - reach;
      if (from < 0 || from >= residues) continue;
      const float *add = net->floats + net->h->stem + (int64_t)(tap * net->h->symbols + codes[from]) * channels;
      for (int i = 0; i < channels; i++) x[i] += add[i];
    }
    const float *own = net->floats + net->h->embedding + codes[position] * channels;
    for (int i = 0; i < channels; i++) x[i] = own[i] + gelu(x[i]);
  }
}

static void pool(const network_t *net, const float *x, int rows, float log_length, float *vector, const work_t *work) {
  const pool_t *p = &net->h->pool;
  const matrix_t *values = net->matrices + p->values, *maxima = net->matrices + p->maxima, *last = net->matrices + p->to_vector;
  const int each = values->rows / net->h->pool_heads, heads = net->h->pool_heads;
  normalize(x, rows, values->padded, net->floats + p->norm_weight, net->floats + p->norm_bias, work->mixed);
  float *features = work->features;
  clear(features, (int64_t)last->padded * 4);
  const destination_t scores = {work->wide, heads, STORE, 0};
  dense(net, p->scores, work->mixed, rows, scores, work);
  float *heights = work->scores;
  const int width = (rows + LANES - 1) / LANES * LANES;
  for (int head = 0; head < heads; head++) {
    float *row = heights + (int64_t)head * width;
    for (int i = 0; i < rows; i++) row[i] = work->wide[i * heads + head];
    const float sum = exponentials(row, rows);
    for (int i = 0; i < rows; i++) row[i] = row[i] / sum;
  }
  const destination_t all = {work->wide, values->rows, STORE, 0};
  dense(net, p->values, work->mixed, rows, all, work);
  for (int row = 0; row < rows; row++)
    for (int head = 0; head < heads; head++) {
      const float weight = heights[(int64_t)head * width + row];
      const float *from = work->wide + (int64_t)row * values->rows + head * each;
      float *to = features + head * each;
      for (int i = 0; i < each; i++) to[i] += weight * from[i];
    }
  const destination_t greatest = {work->wide, maxima->rows, STORE, 0};
  dense(net, p->maxima, work->mixed, rows, greatest, work);
  float *to = features + values->rows;
  for (int i = 0; i < maxima->rows; i++) to[i] = work->wide[i];
  for (int row = 1; row < rows; row++) {
    const float *from = work->wide + (int64_t)row * maxima->rows;
    for (int i = 0; i < maxima->rows; i++) to[i] = from[i] > to[i] ? from[i] : to[i];
  }
  features[values->rows + maxima->rows] = log_length;
  const destination_t end = {work->wide, last->rows, STORE, 0};
  dense(net, p->to_vector, features, 1, end, work);
  normalize(work->wide, 1, last->rows, net->floats + p->vector_norm_weight, net->floats + p->vector_norm_bias, vector);
}

static network_t network_of(const int32_t *words, const float *floats, int16_t *packed) {
  const head_t *h = (const head_t *)words;
  const matrix_t *matrices = (const matrix_t *)(h + 1);
  const network_t net = {h, matrices, (const step_t *)(matrices + h->n_matrices), floats, packed};
  return net;
}

/* Fills the packed weights from int8 rows. */
static void network_pack(const network_t *net, const int8_t *weights) {
  for (const matrix_t *m = net->matrices; m < net->matrices + net->h->n_matrices; m++) {
    int16_t *to = net->packed + m->packed;
    for (int first = 0; first < m->rows; first += PANEL)
      for (int column = 0; column < m->padded; column += 2)
        for (int row = first; row < first + PANEL; row++)
          for (int next = column; next < column + 2; next++)
            *to++ = row < m->rows && next < m->columns ? weights[m->weights + (int64_t)row * m->columns + next] : 0;
  }
}

static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* Returns the next `bytes` of memory, at a whole cache line. */
static void *place(char *memory, int64_t *used, int64_t bytes) {
  void *start = memory + *used;
  *used += (bytes + 63) / 64 * 64;
  return start;
}

/* Divides memory for a window of this many residues, and returns the bytes that it takes. Without memory, the function only counts. */
static int64_t network_work(const network_t *net, int residues, char *memory, work_t *work) {
  const pool_t *p = &net->h->pool;
  const int64_t channels = net->matrices[p->scores].padded, half = (residues + 1) / 2, last = net->matrices[p->to_vector].padded;
  int64_t fine = net->h->channels, wide = greater(3 * channels, net->matrices[p->values].rows), reach = 0;
  wide = greater(wide, greater(net->matrices[p->maxima].rows, net->matrices[p->to_vector].rows));
  for (const step_t *s = net->steps; s < net->steps + net->h->n_steps; s++) {
    if (s->kind == ATTENTION) wide = greater(wide, net->matrices[s->third].rows);
    if (s->kind != BLOCK) continue;
    reach = greater(reach, net->matrices[s->first].taps / 2 * s->dilation);
    fine = greater(fine, net->matrices[s->first].rows);
  }
  const int64_t panels = (half + PANEL - 1) / PANEL * PANEL, widest = greater(2 * fine, wide);
  int64_t used = 0;
  work->fine = (float *)place(memory, &used, 2 * half * net->h->channels * 4);
  work->coarse = (float *)place(memory, &used, half * channels * 4);
  work->wide = (float *)place(memory, &used, half * widest * 4);
  work->mixed = (float *)place(memory, &used, half * channels * 4);
  work->scores = (float *)place(memory, &used, greater(ATTENTION_ROWS, net->h->pool_heads) * panels * 4);
  work->features = (float *)place(memory, &used, last * 4);
  work->integers = (int16_t *)place(memory, &used, greater(greater(half, 1) * widest + 2 * reach * greater(fine, channels), last) * 2);
  work->keys = (int16_t *)place(memory, &used, panels * (channels / net->h->heads) * 2);
  work->values = (int16_t *)place(memory, &used, panels * PANEL * 2);
  work->weights = (int16_t *)place(memory, &used, (int64_t)ATTENTION_ROWS * panels * 2);
  work->sums = (int32_t *)place(memory, &used, (int64_t)BLOCK_ROWS * PANEL * 4);
  return used;
}

static void network_vector(const network_t *net, const uint8_t *codes, int residues, float log_length, float *vector, const work_t *work) {
  float *x = work->fine;
  int rows = residues;
  begin(net, codes, residues, x);
  for (int i = 0; i < net->h->n_steps; i++) {
    const step_t *s = net->steps + i;
    if (s->kind == BLOCK) add_block(net, s, x, rows, work);
    if (s->kind == ATTENTION) add_attention(net, s, x, rows, work);
    if (s->kind == HALVE) {
      const matrix_t *m = net->matrices + s->first;
      /* A last position without a partner is joined with zeros. */
      clear(x + (int64_t)rows * (m->padded / 2), (int64_t)(m->padded / 2) * 4);
      rows = (rows + 1) / 2;
      const destination_t halved = {work->coarse, m->rows, STORE, 0};
      dense(net, s->first, x, rows, halved, work);
      x = work->coarse;
    }
  }
  pool(net, x, rows, log_length, vector, work);
}

static void network_probabilities(const network_t *net, const float *vector, float *probabilities, const work_t *work) {
  const matrix_t *head = net->matrices + net->h->head;
  const destination_t logits = {probabilities, head->rows, STORE, 0};
  dense(net, net->h->head, vector, 1, logits, work);
  for (int i = 0; i < head->rows; i++) probabilities[i] = 1.0f / (1.0f + exponential_of(-probabilities[i]));
}

#endif
