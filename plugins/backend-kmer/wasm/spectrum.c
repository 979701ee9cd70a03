/* Computes the vector of one sequence exactly as src/spectrum.ts does, with the same additions and products in the same order. So two
 * letters or two components are computed side by side, never two terms of one sum. Rebuilt by tools/build-wasm.sh; the committed
 * spectrum.wasm must be its output. src/wasm-spectrum.ts writes the memory that this code reads. */
#include <stdint.h>
#include <wasm_simd128.h>

#define COLUMNS 24    /* number of letters, see substitution.ts */
#define COUNT_STRIDE 32
#define COMPONENTS 19
#define PADDED 20     /* number of components, padded to pairs */
#define WAVES 9       /* number of waves: maxWave + 1 of features.ts */
#define WAVE_BLOCK 4  /* number of vectors side by side, since each waits for its own divisions */

static const double pi = 3.141592653589793;
static const double sqrt2 = 1.4142135623730951;

/* All fields are 32 bits wide; addresses are byte offsets in this memory. */
typedef struct {
  const uint8_t *codes; /* columns of the residues: [length] */
  uint32_t length;
  uint32_t window;
  uint32_t known;   /* number of residues that are not X */
  uint32_t letters; /* number of letters that occur: 20 without B, Z and J, else 23 */
  double *wave;     /* the current wave: [2 length + 1 + padding] */
  const double *values;    /* components of the letters: [COMPONENTS][COLUMNS] */
  const uint32_t *singles; /* features of single residues: [single_count][component, wave, index] */
  uint32_t single_count;
  const uint32_t *gaps; /* for each gap: gap, runs of plain counts, runs of waved ones, then the runs */
  uint32_t gap_count;
  const double *weights; /* weights of the features: [dimension] */
  double *out;           /* the vector: [dimension] */
  uint32_t dimension;
} run_t;

static double single_counts[WAVES * COLUMNS];
static double centred[COMPONENTS * COLUMNS];
static double by_letter[COLUMNS * PADDED]; /* the centred counts, with the components of a letter side by side */
static uint32_t occurrences[COLUMNS * COUNT_STRIDE];
static double plain[COLUMNS * COUNT_STRIDE];
static double waved[COLUMNS * COUNT_STRIDE];

/* Computes the wave of half-wave.ts. The wave from its middle outwards would be the same, so two values and their mirror images are
 * computed at a time. */
static void half_wave(const run_t *run) {
  const uint32_t n = run->length;
  double *wave = run->wave;
  const v128_t turns = wasm_f64x2_splat(2.0 * n);
  const v128_t one = wasm_f64x2_const_splat(1.0);
  /* The loop goes from 0 to n. Values that are written past n are overwritten, or lie in the padding. */
  for (uint32_t j = 0; j <= n; j += 2 * WAVE_BLOCK) {
    v128_t square[WAVE_BLOCK], sum[WAVE_BLOCK];
    for (uint32_t v = 0; v < WAVE_BLOCK; v++) {
      const uint32_t at = j + 2 * v;
      const v128_t x = wasm_f64x2_div(
          wasm_f64x2_mul(wasm_f64x2_const_splat(pi), wasm_f64x2_make(at, at + 1)), turns);
      square[v] = wasm_f64x2_mul(x, x);
      sum[v] = one;
    }
    for (int k = 20; k > 0; k -= 2) {
      const v128_t divisor = wasm_f64x2_splat(k * (k - 1));
      for (uint32_t v = 0; v < WAVE_BLOCK; v++)
        sum[v] = wasm_f64x2_sub(one, wasm_f64x2_div(wasm_f64x2_mul(sum[v], square[v]), divisor));
    }
    for (uint32_t v = 0; v < WAVE_BLOCK; v++)
      wasm_v128_store(wave + j + 2 * v, wasm_f64x2_mul(wasm_f64x2_const_splat(sqrt2), sum[v]));
  }
  for (uint32_t j = 0; j < n; j++) wave[2 * n - j] = -wave[j];
  wave[n] = 0;
}

static void count_singles(const run_t *run) {
  const uint8_t *codes = run->codes;
  const uint32_t n = run->length;
  const uint32_t period = 4 * n;
  for (uint32_t i = 0; i < WAVES * COLUMNS; i++) single_counts[i] = 0;
  for (uint32_t i = 0; i < n; i++) single_counts[codes[i]]++;
  for (uint32_t m = 1; m < WAVES; m++) {
    double *counts = single_counts + m * COLUMNS;
    uint32_t within = m % period;
    const uint32_t step = 2 * m % period;
    for (uint32_t i = 0; i < n; i++) {
      counts[codes[i]] += run->wave[within > period / 2 ? period - within : within];
      within += step;
      if (within >= period) within -= period;
    }
  }
}

static void centre(const run_t *run) {
  const double *values = run->values;
  for (uint32_t c = 0; c < COMPONENTS; c++) {
    double sum = 0;
    for (uint32_t a = 0; a < run->letters; a++) sum += single_counts[a] * values[c * COLUMNS + a];
    for (uint32_t a = 0; a < run->letters; a++) {
      const double value = values[c * COLUMNS + a] - sum / run->known;
      centred[c * COLUMNS + a] = value;
      by_letter[a * PADDED + c] = value;
    }
  }
}

static void write_singles(const run_t *run) {
  for (uint32_t f = 0; f < run->single_count; f++) {
    const uint32_t *single = run->singles + 3 * f;
    const double *source = (single[1] == 0 ? run->values : centred) + single[0] * COLUMNS;
    const double *counts = single_counts + single[1] * COLUMNS;
    double sum = 0;
    for (uint32_t a = 0; a < run->letters; a++) sum += counts[a] * source[a];
    run->out[single[2]] = sum;
  }
}

static void count_pairs(const run_t *run, uint32_t gap) {
  const uint8_t *codes = run->codes;
  for (uint32_t cell = 0; cell < COLUMNS * COUNT_STRIDE; cell++) {
    occurrences[cell] = 0;
    waved[cell] = 0;
  }
  for (uint32_t start = 0; start < run->length; start += run->window) {
    const uint32_t left = run->length - start;
    const uint32_t end = start + (left < run->window ? left : run->window);
    for (uint32_t i = start, j = start + gap; j < end; i++, j++) {
      const uint32_t cell = codes[i] * COUNT_STRIDE + codes[j];
      occurrences[cell]++;
      waved[cell] += run->wave[i + j + 1];
    }
  }
  for (uint32_t cell = 0; cell < COLUMNS * COUNT_STRIDE; cell++) plain[cell] = occurrences[cell];
}

/* Reads a run: first component, number of features, then second component and index of each, ascending. */
__attribute__((always_inline)) static inline const uint32_t *
write_run(const run_t *run, const double *counts, const uint32_t *features, const uint32_t vectors) {
  const uint32_t letters = run->letters;
  const double *first = centred + features[0] * COLUMNS;
  const uint32_t count = features[1];
  const uint32_t *pairs = features + 2;
  double halfway[COLUMNS];
  v128_t sums[COLUMNS / 2];
  for (uint32_t v = 0; v < vectors; v++) sums[v] = wasm_f64x2_const_splat(0);
  for (uint32_t a = 0; a < letters; a++) {
    const v128_t value = wasm_f64x2_splat(first[a]);
    const double *row = counts + a * COUNT_STRIDE;
    for (uint32_t v = 0; v < vectors; v++)
      sums[v] = wasm_f64x2_add(sums[v], wasm_f64x2_mul(value, wasm_v128_load(row + 2 * v)));
  }
  for (uint32_t v = 0; v < vectors; v++) wasm_v128_store(halfway + 2 * v, sums[v]);
  for (uint32_t f = 0; f < count;) {
    /* Two neighbouring components are computed at a time, because the features of a run are mostly those from the strongest one on. */
    const uint32_t second = pairs[2 * f] & ~1u;
    v128_t sum = wasm_f64x2_const_splat(0);
    for (uint32_t b = 0; b < letters; b++)
      sum = wasm_f64x2_add(
          sum, wasm_f64x2_mul(wasm_f64x2_splat(halfway[b]), wasm_v128_load(by_letter + b * PADDED + second)));
    double both[2];
    wasm_v128_store(both, sum);
    for (; f < count && (pairs[2 * f] & ~1u) == second; f++) run->out[pairs[2 * f + 1]] = both[pairs[2 * f] & 1];
  }
  return pairs + 2 * count;
}

static const uint32_t *write_runs(const run_t *run, const double *counts, const uint32_t *at, uint32_t count) {
  for (uint32_t r = 0; r < count; r++)
    at = run->letters <= 20 ? write_run(run, counts, at, 10) : write_run(run, counts, at, 12);
  return at;
}

/* Turns each x into sign(x) |scale x|^(5/8) weight. */
static void damp(const run_t *run) {
  const double scale = 1 / __builtin_sqrt(run->known);
  for (uint32_t i = 0; i < run->dimension; i += 2) {
    const v128_t x = wasm_v128_load(run->out + i);
    const v128_t root = wasm_f64x2_sqrt(wasm_f64x2_mul(wasm_f64x2_abs(x), wasm_f64x2_splat(scale)));
    const v128_t eighth = wasm_f64x2_sqrt(wasm_f64x2_sqrt(root));
    const v128_t is_negative = wasm_f64x2_lt(x, wasm_f64x2_const_splat(0));
    const v128_t signed_root = wasm_v128_bitselect(wasm_f64x2_neg(root), root, is_negative);
    wasm_v128_store(run->out + i,
                    wasm_f64x2_mul(wasm_f64x2_mul(signed_root, eighth), wasm_v128_load(run->weights + i)));
  }
}

void embed(const run_t *run) {
  half_wave(run);
  count_singles(run);
  centre(run);
  write_singles(run);
  const uint32_t *at = run->gaps;
  for (uint32_t g = 0; g < run->gap_count; g++) {
    const uint32_t plain_runs = at[1], waved_runs = at[2];
    count_pairs(run, at[0]);
    at = write_runs(run, plain, at + 3, plain_runs);
    at = write_runs(run, waved, at, waved_runs);
  }
  damp(run);
}
