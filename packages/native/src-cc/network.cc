#include "network.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace kindred {
namespace {

constexpr int64_t kMaxWidth = 1 << 16;
constexpr int64_t kMaxResidues = 1 << 20;

void demand(bool fits, const char* what) {
  if (!fits) throw std::range_error(std::string("network: ") + what);
}

/// Compares the sizes that the words describe with those of the arrays.
class Checker {
 public:
  Checker(const network_t& net, int64_t n_floats, int64_t n_weights) : net_(net), n_floats_(n_floats), n_weights_(n_weights) {}

  void check() const {
    const head_t& h = *net_.h;
    demand(h.channels > 0 && h.channels <= kMaxWidth && h.symbols > 0 && h.symbols <= 256, "channels or symbols");
    demand(h.stem_taps > 0 && h.stem_taps < 64 && h.stem_taps % 2 == 1, "taps of the stem");
    demand(h.longest > 0 && h.longest <= kMaxResidues && h.heads > 0 && h.pool_heads > 0, "heads or length");
    floats(h.embedding, int64_t{h.symbols} * h.channels);
    floats(h.stem, int64_t{h.stem_taps} * h.symbols * h.channels);
    floats(h.stem_bias, h.channels);
    int64_t packed = 0;
    for (int32_t i = 0; i < h.n_matrices; i++) packed = check_matrix(net_.matrices[i], packed);
    check_pool();
    const int64_t width = matrix(h.pool.scores).padded, each = width / h.heads;
    demand(each * h.heads == width && each % 2 == 0 && each <= PANEL && h.pool_heads <= 64, "length of a head");
    demand(h.row_levels > 0 && int64_t{h.row_levels} * h.row_levels * each <= INT32_MAX, "levels of attention");
    const int64_t positions = (int64_t{h.longest} + 1) / 2;
    floats(h.cosines, positions * (each / 2));
    floats(h.sines, positions * (each / 2));
    int64_t channels = h.channels;
    for (int32_t i = 0; i < h.n_steps; i++) channels = check_step(net_.steps[i], channels, width);
    demand(channels == width, "channels of the last step");
  }

 private:
  void floats(int64_t offset, int64_t count) const { demand(offset >= 0 && offset + count <= n_floats_, "offset of floats"); }

  void norm(int64_t weight, int64_t bias, int64_t channels) const {
    demand(channels % 16 == 0, "channels of a norm must be a multiple of 16");
    floats(weight, channels);
    floats(bias, channels);
  }

  const matrix_t& matrix(int32_t number) const {
    demand(number >= 0 && number < net_.h->n_matrices, "number of a matrix");
    return net_.matrices[number];
  }

  void shape(int32_t number, int64_t columns, int64_t rows) const {
    const matrix_t& m = matrix(number);
    demand(m.taps == 1 && m.columns == columns && m.rows == rows, "shape of a matrix");
  }

  int64_t check_matrix(const matrix_t& m, int64_t packed) const {
    demand(m.rows > 0 && m.rows <= kMaxWidth && m.columns > 0 && m.columns <= kMaxWidth && m.padded == (m.columns + 1) / 2 * 2, "matrix");
    demand(m.taps > 0 && m.taps % 2 == 1 && m.padded % m.taps == 0 && m.padded / m.taps % 2 == 0, "taps of a matrix");
    demand(m.levels > 0 && m.levels <= INT16_MAX && m.packed == packed, "levels or place of a matrix");
    demand(m.weights >= 0 && m.weights + int64_t{m.rows} * m.columns <= n_weights_, "offset of weights");
    floats(m.scales, m.rows);
    floats(m.bias, m.rows);
    return packed + (int64_t{m.rows} + PANEL - 1) / PANEL * PANEL * m.padded;
  }

  /// Returns the number of channels after a step on this many channels.
  int64_t check_step(const step_t& s, int64_t channels, int64_t width) const {
    if (s.kind == HALVE) {
      demand(channels == net_.h->channels, "a network halves once");
      shape(s.first, 2 * channels, width);
      return width;
    }
    norm(s.norm_weight, s.norm_bias, channels);
    floats(s.scale, channels);
    if (s.kind == BLOCK) {
      const matrix_t& taps = matrix(s.first);
      demand(s.dilation > 0 && s.dilation < 1024 && taps.columns == taps.taps * channels, "taps of a block");
      shape(s.second, taps.rows, channels);
      return channels;
    }
    demand(s.kind == ATTENTION && channels == width, "kind of a step");
    norm(s.other_norm_weight, s.other_norm_bias, channels);
    floats(s.other_scale, channels);
    shape(s.first, channels, 3 * channels);
    shape(s.second, channels, channels);
    shape(s.third, channels, matrix(s.third).rows);
    shape(s.fourth, matrix(s.third).rows, channels);
    return channels;
  }

  void check_pool() const {
    const pool_t& p = net_.h->pool;
    const int64_t width = matrix(p.scores).padded, values = matrix(p.values).rows, maxima = matrix(p.maxima).rows;
    const int64_t dimension = matrix(p.to_vector).rows;
    norm(p.norm_weight, p.norm_bias, width);
    norm(p.vector_norm_weight, p.vector_norm_bias, dimension);
    shape(p.scores, width, net_.h->pool_heads);
    shape(p.values, width, values);
    demand(values % net_.h->pool_heads == 0, "heads of the pooling");
    shape(p.maxima, width, maxima);
    shape(p.to_vector, values + maxima + 1, dimension);
    shape(net_.h->head, dimension, matrix(net_.h->head).rows);
  }

  const network_t& net_;
  const int64_t n_floats_, n_weights_;
};

network_t network_of(const std::vector<int32_t>& words, const float* floats) {
  const int64_t size = static_cast<int64_t>(words.size());
  demand(size >= static_cast<int64_t>(sizeof(head_t) / 4), "words");
  const auto* h = reinterpret_cast<const head_t*>(words.data());
  demand(h->n_matrices > 0 && h->n_matrices < 1000 && h->n_steps >= 0 && h->n_steps < 1000, "number of matrices or steps");
  demand(size * 4 == static_cast<int64_t>(sizeof(head_t)) + h->n_matrices * int64_t{sizeof(matrix_t)} + h->n_steps * int64_t{sizeof(step_t)}, "words");
  const auto* matrices = reinterpret_cast<const matrix_t*>(h + 1);
  return {h, matrices, reinterpret_cast<const step_t*>(matrices + h->n_matrices), floats, nullptr};
}

/// FNV-1a.
uint64_t hash_of(const int8_t* bytes, int64_t size) {
  uint64_t hash = 14695981039346656037u;
  for (int64_t i = 0; i < size; i++) hash = (hash ^ static_cast<uint8_t>(bytes[i])) * 1099511628211u;
  return hash;
}

Memory allocate(int64_t bytes) {
  void* memory = std::aligned_alloc(64, static_cast<size_t>((bytes + 63) / 64 * 64));
  if (!memory) throw std::bad_alloc();
  return Memory(static_cast<char*>(memory));
}

std::shared_ptr<const NetworkModel> load(const NetworkKernels& kernels, NetworkModel&& given, const int8_t* weights, int64_t n_weights) {
  auto model = std::make_shared<NetworkModel>(std::move(given));
  model->net = network_of(model->words, model->floats.data());
  Checker(model->net, static_cast<int64_t>(model->floats.size()), n_weights).check();
  const matrix_t& last = model->net.matrices[model->net.h->n_matrices - 1];
  model->packed = allocate((last.packed + (int64_t{last.rows} + PANEL - 1) / PANEL * PANEL * last.padded) * 2);
  model->net.packed = reinterpret_cast<int16_t*>(model->packed.get());
  kernels.pack(&model->net, weights);
  return model;
}

/// The model that another network has, or a new one. A process has one network, so the last one is enough.
std::shared_ptr<const NetworkModel> shared(const NetworkKernels& kernels, NetworkModel&& given, const int8_t* weights, int64_t n_weights) {
  static std::mutex guard;
  static std::weak_ptr<const NetworkModel> last;
  const std::lock_guard<std::mutex> held(guard);
  const std::shared_ptr<const NetworkModel> known = last.lock();
  if (known && known->hash == given.hash && known->words == given.words && known->floats == given.floats) return known;
  const std::shared_ptr<const NetworkModel> loaded = load(kernels, std::move(given), weights, n_weights);
  last = loaded;
  return loaded;
}

}  // namespace

Network::Network(const NetworkKernels& kernels, const int32_t* words, int64_t n_words, const float* floats, int64_t n_floats,
                 const int8_t* weights, int64_t n_weights)
    : kernels_(kernels) {
  NetworkModel given{{words, words + n_words}, {floats, floats + n_floats}, hash_of(weights, n_weights), nullptr, {}};
  model_ = shared(kernels, std::move(given), weights, n_weights);
}

int Network::dimension() const { return model_->net.matrices[model_->net.h->pool.to_vector].rows; }
int Network::terms() const { return model_->net.matrices[model_->net.h->head].rows; }

void Network::vector(const uint8_t* codes, int residues, float log_length, float* out) {
  const work_t parts = work(residues);
  kernels_.vector(&model_->net, codes, residues, log_length, out, &parts);
}

void Network::probabilities(const float* vector, float* out) {
  const work_t parts = work(1);
  kernels_.probabilities(&model_->net, vector, out, &parts);
}

void FreeMemory::operator()(void* memory) const { std::free(memory); }

/// Memory that grows with the longest window.
work_t Network::work(int residues) {
  work_t parts;
  const int64_t bytes = kernels_.work(&model_->net, residues, nullptr, &parts);
  if (bytes > work_bytes_) {
    work_bytes_ = 0;
    work_ = allocate(bytes);
    work_bytes_ = bytes;
  }
  kernels_.work(&model_->net, residues, work_.get(), &parts);
  return parts;
}

}  // namespace kindred
