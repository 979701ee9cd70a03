// The distance of two vectors, equal to the last bit to that of packages/kernels/src/knn/distance.ts.
#pragma once
#include <cstdint>

#include "knn-kernels.h"

namespace kindred {

/// Sums products or squared differences in the order of the vectors, as the definition does.
inline double dot_in_order(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

inline double square_in_order(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += d * d;
  }
  return sum;
}

inline double cosine_of(double dot, double norm_product) {
  const double distance = 1 - dot / norm_product;
  if (distance < 1e-12) return 0;
  return distance > 2 ? 2 : static_cast<double>(static_cast<float>(distance));
}

inline double square_of(double sum) { return sum < 1e-12 * 1e-12 ? 0 : static_cast<double>(static_cast<float>(sum)); }

/// Sums in any order differ from the sum in order by at most n * 2^-52 of the sum of magnitudes. Rounding to float32 is monotonous, so
/// where both ends of that interval round to one number, the sum in order rounds to that number, too.
inline double cosine_distance(const KnnKernels& kernels, const float* a, const float* b, int64_t n, double norm_product) {
  if (norm_product == 0) return 1;
  const double dot = kernels.dot(a, b, n);
  const double error = static_cast<double>(n + 16) * 0x1p-52 * norm_product;
  const double low = cosine_of(dot + error, norm_product);
  if (low == cosine_of(dot - error, norm_product)) return low;
  return cosine_of(dot_in_order(a, b, n), norm_product);
}

inline double squared_distance(const KnnKernels& kernels, const float* a, const float* b, int64_t n) {
  const double sum = kernels.square(a, b, n);
  const double error = static_cast<double>(n + 16) * 0x1p-52;
  const double low = square_of(sum * (1 - error));
  if (low == square_of(sum * (1 + error))) return low;
  return square_of(square_in_order(a, b, n));
}

}  // namespace kindred
