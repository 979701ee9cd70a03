// A sequence network in memory. Networks of the same weights share them, in all threads of the process.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network-kernels.h"

namespace kindred {

struct FreeMemory {
  void operator()(void* memory) const;
};
using Memory = std::unique_ptr<char, FreeMemory>;

/// What networks share.
struct NetworkModel {
  std::vector<int32_t> words;
  std::vector<float> floats;
  /// Hash of the int8 weights.
  uint64_t hash;
  Memory packed;
  network_t net;
};

/// Runs a network; its memory for intermediate results is of one thread.
class Network {
 public:
  /// @throws std::range_error for words that lead outside the floats or the weights
  Network(const NetworkKernels& kernels, const int32_t* words, int64_t n_words, const float* floats, int64_t n_floats, const int8_t* weights,
          int64_t n_weights);
  Network(const Network&) = delete;

  int dimension() const;
  int terms() const;
  int symbols() const { return model_->net.h->symbols; }
  int longest() const { return model_->net.h->longest; }
  void vector(const uint8_t* codes, int residues, float log_length, float* out);
  void probabilities(const float* vector, float* out);

 private:
  work_t work(int residues);

  const NetworkKernels& kernels_;
  std::shared_ptr<const NetworkModel> model_;
  Memory work_;
  int64_t work_bytes_ = 0;
};

}  // namespace kindred
