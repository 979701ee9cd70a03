/* WebAssembly kernels: eight pairs in 16-bit lanes, and one pair in 32 bits for scores that 16 cannot hold.
 * Rebuilt by tools/build-wasm.sh; the committed alignment.wasm must be its output. */
#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

#include "../src-cc/align-batch.h"

/* Asks whether the caller wants to stop; called regularly. */
__attribute__((import_module("caller"), import_name("stopped"))) extern int32_t stopped(void);
#define STOPPED(batch) ((void)(batch), stopped())

#define NAME(x) x##_16
#define lane_t int16_t
#define LANES 8
#define vec v128_t
#define v_load(p) wasm_v128_load(p)
#define v_store(p, v) wasm_v128_store(p, v)
#define v_splat(x) wasm_i16x8_splat(x)
#define v_add wasm_i16x8_add
#define v_sub wasm_i16x8_sub
#define v_max wasm_i16x8_max
#define v_any_greater(a, b) wasm_v128_any_true(wasm_i16x8_gt(a, b))
#define v_profile(profile, query, groups) wasm_v128_load((profile) + *(query) * LANES)
#define FLAG_BYTES 4

static inline v128_t v_scores(const int8_t *row, const uint8_t *letters, int16_t add) {
  const v128_t index = wasm_v128_load64_zero(letters);
  const v128_t low = wasm_i8x16_swizzle(wasm_v128_load(row), index);
  const v128_t high = wasm_i8x16_swizzle(wasm_v128_load(row + 16), wasm_i8x16_sub(index, wasm_i8x16_splat(16)));
  return wasm_i16x8_add(wasm_i16x8_extend_low_i8x16(wasm_v128_or(low, high)), wasm_i16x8_splat(add));
}

static inline void v_flags_store(uint8_t *p, v128_t a, v128_t b, v128_t c, v128_t d, v128_t e, v128_t f, v128_t g, v128_t h) {
  const v128_t reached = wasm_i8x16_narrow_i16x8(wasm_i16x8_eq(a, b), wasm_i16x8_eq(c, d));
  const v128_t opened = wasm_i8x16_narrow_i16x8(wasm_i16x8_gt(e, f), wasm_i16x8_gt(g, h));
  *(uint16_t *)p = (uint16_t)wasm_i8x16_bitmask(reached);
  *(uint16_t *)(p + 2) = (uint16_t)wasm_i8x16_bitmask(opened);
}

static inline int v_flags_lane(const uint8_t *p, int lane) {
  return (p[0] >> lane & 1) | (p[1] >> lane & 1) << 1 | (p[2] >> lane & 1) << 2 | (p[3] >> lane & 1) << 3;
}

#include "../src-cc/align-body.h"

#undef NAME
#undef lane_t
#undef LANES
#undef vec
#undef v_load
#undef v_store
#undef v_splat
#undef v_add
#undef v_sub
#undef v_max
#undef v_any_greater
#undef v_profile
#undef FLAG_BYTES
#undef v_scores
#undef v_flags_store
#undef v_flags_lane

#include "../src-cc/align-scalar.h"
