/* WebAssembly kernel of the search in blocks: which scores of a row reach a threshold.
 * Rebuilt by tools/build-wasm.sh; the committed scan.wasm must be its output. */
#include <stdint.h>
#include <wasm_simd128.h>

static inline v128_t below(const float *score, const float *scale, const float *bias, v128_t least) {
  const v128_t value = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(score), wasm_v128_load(scale)), wasm_v128_load(bias));
  return wasm_f32x4_lt(value, least);
}

static inline int32_t keep(int32_t *hits, int32_t count, int32_t index, float value, float least) {
  if (!(value < least)) hits[count++] = index;
  return count;
}

/* Writes the indices i of 0 .. n - 1 for which score[i] * scale[i] + bias[i] is not below `least` (one that is no
 * number is not), ascending; returns how many. */
int32_t not_below(const float *score, const float *scale, const float *bias, int32_t n, float least, int32_t *hits) {
  const v128_t bound = wasm_f32x4_splat(least);
  int32_t count = 0, i = 0;
  for (; i + 16 <= n; i += 16) {
    const v128_t a = below(score + i, scale + i, bias + i, bound), b = below(score + i + 4, scale + i + 4, bias + i + 4, bound);
    const v128_t c = below(score + i + 8, scale + i + 8, bias + i + 8, bound), d = below(score + i + 12, scale + i + 12, bias + i + 12, bound);
    if (wasm_i32x4_all_true(wasm_v128_and(wasm_v128_and(a, b), wasm_v128_and(c, d)))) continue;
    for (int32_t j = i; j < i + 16; j++) count = keep(hits, count, j, score[j] * scale[j] + bias[j], least);
  }
  for (; i < n; i++) count = keep(hits, count, i, score[i] * scale[i] + bias[i], least);
  return count;
}
