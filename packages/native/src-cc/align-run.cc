#include "align-run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace kindred {
namespace {

constexpr uint8_t kPadding = 31;

/// Memory aligned to 64 bytes that grows when needed and is not cleared.
class Scratch {
 public:
  uint8_t* reserve(int64_t bytes) {
    if (static_cast<size_t>(bytes) + 64 > memory_.size()) memory_ = std::vector<uint8_t>(static_cast<size_t>(bytes) + 64);
    return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory_.data()) + 63) & ~static_cast<uintptr_t>(63));
  }

 private:
  std::vector<uint8_t> memory_;
};

class Runner {
 public:
  explicit Runner(const AlignRequest& request)
      : r_(request),
        lanes_(request.kernel->lanes),
        query_length_(static_cast<size_t>(lanes_)),
        target_length_(static_cast<size_t>(lanes_)),
        out_(static_cast<size_t>(lanes_) * 5) {}

  /// Aligns one batch. Returns false if it was stopped.
  bool batch(int64_t index) {
    const int32_t* lanes = r_.lanes + index * lanes_;
    const int groups = r_.groups[index];
    const bool known = groups == 1 || groups == 2 || groups == 4;
    if (!known || groups > r_.kernel->groups) throw std::range_error("a batch has 1, 2 or 4 groups, as the kernel allows");
    const int32_t rows = measure(lanes, query_length_, r_.query), columns = measure(lanes, target_length_, r_.target);
    if (rows == 0) return true;
    fill_queries(lanes, groups, rows);
    fill_targets(lanes, columns);
    align_batch b;
    b.mode = r_.mode;
    b.gap_open = r_.gap_open;
    b.gap_extend = r_.gap_extend;
    b.rows = rows;
    b.columns = columns;
    const int64_t held = r_.trace_bytes / (static_cast<int64_t>(rows) * r_.kernel->flag_bytes);
    const int64_t root = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(columns))));
    b.block = static_cast<int32_t>(std::min<int64_t>(std::max(held, root), columns));
    b.groups = groups;
    b.query = query_.data();
    b.target = target_.data();
    b.matrix = r_.matrix;
    b.query_length = query_length_.data();
    b.target_length = target_length_.data();
    b.work = scratch_.reserve(r_.kernel->work_bytes(rows, columns, b.block));
    b.out = out_.data();
    b.stopped = r_.stopped;
    b.context = r_.context;
    if (r_.kernel->align(&b)) return false;
    for (int l = 0; l < lanes_; l++) {
      if (lanes[l] >= 0) std::memcpy(r_.out + static_cast<int64_t>(lanes[l]) * 5, out_.data() + l * 5, 20);
    }
    return true;
  }

 private:
  static uint8_t checked(uint8_t code) {
    if (code >= kPadding) throw std::range_error("a residue code is out of range");
    return code;
  }

  /// Stores the lengths of the lanes' sequences, 0 for idle lanes, and returns the longest.
  int32_t measure(const int32_t* lanes, std::vector<int32_t>& lengths, const int32_t* side) const {
    int32_t max = 0;
    for (int l = 0; l < lanes_; l++) {
      lengths[static_cast<size_t>(l)] = 0;
      if (lanes[l] < 0) continue;
      if (lanes[l] >= r_.pairs) throw std::range_error("a batch names a pair that does not exist");
      const int32_t s = side[lanes[l]];
      if (s < 0 || s >= r_.sequences) throw std::range_error("a pair names a sequence that does not exist");
      const int32_t length = r_.start[s + 1] - r_.start[s];
      if (r_.start[s] < 0 || length < 1 || r_.start[s + 1] > r_.start[r_.sequences]) throw std::range_error("sequences must not be empty");
      lengths[static_cast<size_t>(l)] = length;
      max = std::max(max, length);
    }
    return max;
  }

  void fill_queries(const int32_t* lanes, int groups, int32_t rows) {
    query_.assign(static_cast<size_t>(rows) * static_cast<size_t>(groups), kPadding);
    const int width = lanes_ / groups;
    for (int g = 0; g < groups; g++) {
      int32_t query = -1;
      for (int l = g * width; l < (g + 1) * width; l++) {
        if (lanes[l] < 0) continue;
        const int32_t own = r_.query[lanes[l]];
        if (query >= 0 && own != query) throw std::range_error("the lanes of a group must share a query");
        query = own;
      }
      if (query < 0) continue;
      const uint8_t* codes = r_.codes + r_.start[query];
      const int32_t length = r_.start[query + 1] - r_.start[query];
      for (int32_t i = 0; i < length; i++) query_[static_cast<size_t>(i) * static_cast<size_t>(groups) + static_cast<size_t>(g)] = checked(codes[i]);
    }
  }

  void fill_targets(const int32_t* lanes, int32_t columns) {
    // The array is longer than its columns, because vector loads may reach past the last column.
    target_.assign(static_cast<size_t>(columns) * static_cast<size_t>(lanes_) + 64, kPadding);
    for (int l = 0; l < lanes_; l++) {
      if (lanes[l] < 0) continue;
      const uint8_t* codes = r_.codes + r_.start[r_.target[lanes[l]]];
      const int32_t length = target_length_[static_cast<size_t>(l)];
      for (int32_t j = 0; j < length; j++) target_[static_cast<size_t>(j) * static_cast<size_t>(lanes_) + static_cast<size_t>(l)] = checked(codes[j]);
    }
  }

  const AlignRequest& r_;
  const int lanes_;
  std::vector<int32_t> query_length_, target_length_, out_;
  std::vector<uint8_t> query_, target_;
  Scratch scratch_;
};

}  // namespace

bool align_batches(const AlignRequest& request) {
  Runner runner(request);
  for (int64_t b = 0; b < request.batches; b++) {
    if (!runner.batch(b)) return false;
  }
  return true;
}

}  // namespace kindred
