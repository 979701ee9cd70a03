// Portable kernels: plain loops that a compiler may turn into the vectors of its target (NEON on ARM).
#include "knn-kernels.h"

namespace kindred {
namespace {

#include "knn-sums.h"

constexpr int kQueries = 4;

void step_plain(const Step& s) {
  for (int q = 0; q < kQueries; q++) {
    uint32_t hits = 0;
    for (int half = 0; half < 2; half++) {
      int32_t product[16];
      for (int r = 0; r < 16; r++) product[r] = s.bias[q];
      const uint8_t* codes = s.codes[half];
      const int8_t* query = s.queries + q * 4;
      for (int64_t w = 0; w < s.words; w++, codes += 64, query += kQueries * 4) {
        const int32_t k0 = query[0], k1 = query[1], k2 = query[2], k3 = query[3];
        for (int r = 0; r < 16; r++) {
          product[r] += codes[4 * r] * k0 + codes[4 * r + 1] * k1 + codes[4 * r + 2] * k2 + codes[4 * r + 3] * k3;
        }
      }
      const float* n = s.numbers[half];
      for (int r = 0; r < 16; r++) {
        const float bound = static_cast<float>(product[r]) * n[r] * s.scale[q] + n[16 + r] + n[32 + r] * s.on_mean[q] +
                            n[48 + r] * s.rest[q] + n[64 + r] * s.length[q];
        s.bounds[q * kStepRows + half * 16 + r] = bound;
        hits |= static_cast<uint32_t>(bound >= s.threshold[q]) << (half * 16 + r);
      }
    }
    s.hits[q] = hits;
  }
}

}  // namespace

const KnnKernels knn_plain = {"plain", kQueries, 127, step_plain, nullptr, dot_sum, square_sum};

}  // namespace kindred
