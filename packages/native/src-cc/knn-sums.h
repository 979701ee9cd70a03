// Double sums over float vectors, in thirty-two partial sums that the compiler keeps in vector registers. Each instruction set's file
// includes this one in its own anonymous namespace.
double sum_lanes(const double* lanes) {
  double sum = 0;
  for (int l = 0; l < 32; l++) sum += lanes[l];
  return sum;
}

double dot_sum(const float* a, const float* b, int64_t n) {
  double lanes[32] = {0};
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (int l = 0; l < 32; l++) lanes[l] += static_cast<double>(a[i + l]) * static_cast<double>(b[i + l]);
  }
  for (int l = 0; i < n; i++, l++) lanes[l] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum_lanes(lanes);
}

double square_sum(const float* a, const float* b, int64_t n) {
  double lanes[32] = {0};
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (int l = 0; l < 32; l++) {
      const double d = static_cast<double>(a[i + l]) - static_cast<double>(b[i + l]);
      lanes[l] += d * d;
    }
  }
  for (int l = 0; i < n; i++, l++) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    lanes[l] += d * d;
  }
  return sum_lanes(lanes);
}
