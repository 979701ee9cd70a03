/* The sequence network: a window's letters become a vector, and a vector probabilities. Rebuilt by tools/build-wasm.sh; the committed
 * network.wasm must be its output. ../src-cc/network-body.h has the layers. */
#include <stdint.h>
#include <wasm_simd128.h>

#include "../src-cc/network-program.h"

#define TILE_ROWS 4

/* Multiplies rows by eight of the panel's rows, in registers. */
static inline __attribute__((always_inline)) void part(const int rows, const int16_t *x, int stride, const int16_t *panel, int pairs,
                                                       int32_t *sums) {
  v128_t low[TILE_ROWS], high[TILE_ROWS];
#pragma unroll
  for (int r = 0; r < rows; r++) {
    low[r] = wasm_v128_load(sums + r * PANEL);
    high[r] = wasm_v128_load(sums + r * PANEL + 4);
  }
  for (int pair = 0; pair < pairs; pair++, panel += 2 * PANEL, x += 2) {
    const v128_t a = wasm_v128_load(panel), b = wasm_v128_load(panel + 8);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const v128_t both = wasm_v128_load32_splat(x + r * stride);
      low[r] = wasm_i32x4_add(low[r], wasm_i32x4_dot_i16x8(a, both));
      high[r] = wasm_i32x4_add(high[r], wasm_i32x4_dot_i16x8(b, both));
    }
  }
#pragma unroll
  for (int r = 0; r < rows; r++) {
    wasm_v128_store(sums + r * PANEL, low[r]);
    wasm_v128_store(sums + r * PANEL + 4, high[r]);
  }
}

static void tile(int rows, const int16_t *x, int stride, const int16_t *panel, int pairs, int32_t *sums) {
  for (int i = 0; i < PANEL; i += 8, panel += 16, sums += 8) {
    if (rows == 4) part(4, x, stride, panel, pairs, sums);
    if (rows == 3) part(3, x, stride, panel, pairs, sums);
    if (rows == 2) part(2, x, stride, panel, pairs, sums);
    if (rows == 1) part(1, x, stride, panel, pairs, sums);
  }
}

#include "../src-cc/network-body.h"

static network_t net;

void open_network(const int32_t *words, const float *floats, int16_t *packed, const int8_t *weights) {
  net = network_of(words, floats, packed);
  network_pack(&net, weights);
}

int32_t work_bytes(int32_t residues) {
  work_t work;
  return (int32_t)network_work(&net, residues, 0, &work);
}

void vector_of(const uint8_t *codes, int32_t residues, float log_length, float *vector, char *memory) {
  work_t work;
  network_work(&net, residues, memory, &work);
  network_vector(&net, codes, residues, log_length, vector, &work);
}

void probabilities_of(const float *vector, float *probabilities, char *memory) {
  work_t work;
  network_work(&net, 1, memory, &work);
  network_probabilities(&net, vector, probabilities, &work);
}
