// A sequence network in memory, ready for one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network-kernels.h"

namespace kindred {

class Network {
 public:
  /// @throws std::range_error for words that lead outside the floats or the weights
  Network(const NetworkKernels& kernels, const int32_t* words, int64_t n_words, const float* floats, int64_t n_floats, const int8_t* weights,
          int64_t n_weights);
  Network(const Network&) = delete;

  int dimension() const;
  int terms() const;
  int symbols() const { return net_.h->symbols; }
  int longest() const { return net_.h->longest; }
  void vector(const uint8_t* codes, int residues, float log_length, float* out);
  void probabilities(const float* vector, float* out);

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  using Memory = std::unique_ptr<char, Free>;
  static Memory allocate(int64_t bytes);
  work_t work(int residues);

  const NetworkKernels& kernels_;
  std::vector<int32_t> words_;
  std::vector<float> floats_;
  Memory packed_, work_;
  int64_t work_bytes_ = 0;
  network_t net_;
};

}  // namespace kindred
