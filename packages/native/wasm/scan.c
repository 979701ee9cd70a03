/* WebAssembly kernels of the search in blocks: products of codes, and which pairs of a row and a query may be near.
 * Rebuilt by tools/build-wasm.sh; the committed scan.wasm must be its output. */
#include <stdint.h>
#include <wasm_simd128.h>

#define LANES 16

/* Sums the pairs of partial sums of two registers, which gives four columns of a row. */
static inline v128_t columns_of(v128_t first, v128_t second) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(first, second, 0, 2, 4, 6), wasm_i32x4_shuffle(first, second, 1, 3, 5, 7));
}

/* Multiplies four rows of a group with four queries, over all words. A register of sums holds two queries, each as the sum of its even pairs of
 * codes and that of its odd ones. */
static void multiply_tile(const uint8_t *codes, const int16_t *panel, int32_t words, int32_t *products, int32_t stride) {
  v128_t sums[8];
  for (int32_t i = 0; i < 8; i++) sums[i] = wasm_i32x4_splat(0);
  for (int32_t k = 0; k < words; k++, codes += 4 * LANES, panel += 16) {
    const v128_t low = wasm_v128_load(panel), high = wasm_v128_load(panel + 8);
#pragma clang loop unroll(full)
    for (int32_t lane = 0; lane < 4; lane++) {
      const v128_t row = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_splat(codes + 4 * lane));
      sums[2 * lane] = wasm_i32x4_add(sums[2 * lane], wasm_i32x4_dot_i16x8(row, low));
      sums[2 * lane + 1] = wasm_i32x4_add(sums[2 * lane + 1], wasm_i32x4_dot_i16x8(row, high));
    }
  }
  for (int32_t lane = 0; lane < 4; lane++)
    wasm_v128_store(products + lane * stride, columns_of(sums[2 * lane], sums[2 * lane + 1]));
}

/* Computes integer products of the codes of whole groups, [groups][words][16][4] (see src/bank/format.ts), and of the queries, int16
 * [stride / 4][words][4 queries][4]; int32 [groups x 16][stride]. `stride` is a multiple of 4. */
void multiply(const uint8_t *codes, const int16_t *queries, int32_t *products, int32_t groups, int32_t words, int32_t stride) {
  for (int32_t g = 0; g < groups; g++, codes += 4 * LANES * words, products += LANES * stride)
    for (int32_t column = 0; column < stride; column += 4)
      for (int32_t lane = 0; lane < LANES; lane += 4)
        multiply_tile(codes + 4 * lane, queries + 4 * column * words, words, products + lane * stride + column, stride);
}

/* The five numbers of a row (see src/bank/format.ts). */
typedef struct {
  float a, b, c, h, g;
} Row;

/* The arrays of the queries, each `stride` numbers long. */
typedef struct {
  const int32_t *bias;
  const float *scale, *on_mean, *rest, *length, *least;
} Queries;

static inline v128_t bounds_of(const int32_t *product, const Queries *q, int32_t i, const Row *row) {
  const v128_t whole = wasm_f32x4_convert_i32x4(wasm_i32x4_add(wasm_v128_load(product + i), wasm_v128_load(q->bias + i)));
  const v128_t codes = wasm_f32x4_mul(whole, wasm_f32x4_mul(wasm_v128_load(q->scale + i), wasm_f32x4_splat(row->a)));
  const v128_t centre = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(q->on_mean + i), wasm_f32x4_splat(row->c)), wasm_f32x4_splat(row->b));
  const v128_t rests = wasm_f32x4_add(wasm_f32x4_mul(wasm_v128_load(q->rest + i), wasm_f32x4_splat(row->h)),
                                      wasm_f32x4_mul(wasm_v128_load(q->length + i), wasm_f32x4_splat(row->g)));
  return wasm_f32x4_add(wasm_f32x4_add(codes, centre), rests);
}

/* Turns integer products [rows x stride] into upper bounds, and finds the bounds that are not below `least` of their query (a NaN is
 * never below). Writes row x stride + query into `pairs` and the bound into `bounds`, for the rows `first` .. `last` - 1 in order, as
 * long as `room` certainly suffices for one more row; the next row is written into pairs[room]. Returns how many were found. `stride`
 * is a multiple of 8; places at the end of a stride without a query have an infinite `least`. */
int32_t near_pairs(const int32_t *products, const float *numbers, const float *queries, int32_t stride, int32_t first, int32_t last,
                   int32_t *pairs, float *bounds, int32_t room) {
  const Queries q = {(const int32_t *)queries, queries + stride, queries + 2 * stride, queries + 3 * stride, queries + 4 * stride, queries + 5 * stride};
  int32_t found = 0, r = first;
  for (; r < last && found + stride <= room; r++) {
    const float *five = numbers + (r / LANES) * 5 * LANES + r % LANES;
    const Row row = {five[0], five[LANES], five[2 * LANES], five[3 * LANES], five[4 * LANES]};
    const int32_t *product = products + r * stride;
    for (int32_t i = 0; i < stride; i += 8) {
      const v128_t one = bounds_of(product, &q, i, &row), two = bounds_of(product, &q, i + 4, &row);
      const v128_t below = wasm_v128_and(wasm_f32x4_lt(one, wasm_v128_load(q.least + i)), wasm_f32x4_lt(two, wasm_v128_load(q.least + i + 4)));
      if (wasm_i32x4_all_true(below)) continue;
      float values[8];
      wasm_v128_store(values, one);
      wasm_v128_store(values + 4, two);
      for (int32_t j = 0; j < 8; j++) {
        if (values[j] < q.least[i + j]) continue;
        pairs[found] = r * stride + i + j;
        bounds[found++] = values[j];
      }
    }
  }
  pairs[room] = r;
  return found;
}
