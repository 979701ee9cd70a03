// The k least upper limits of distances to distinct sequences: no neighbour is farther than the last of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace kindred {

class SmallestLimits {
 public:
  explicit SmallestLimits(int64_t k) : k_(static_cast<size_t>(k)) { limits_.reserve(k_ < 1024 ? k_ : 1024); }

  /// Infinite until k sequences were offered.
  float bound() const { return limits_.size() == k_ ? limits_.back().max : std::numeric_limits<float>::infinity(); }

  /// True when the bound may have come down. `repeats`: the sequence may have been offered before.
  bool offer(float max, int32_t sequence, bool repeats) {
    if (!(max < bound())) return false;
    auto end = limits_.end();
    if (repeats) end = std::find_if(limits_.begin(), end, [sequence](const Limit& one) { return one.sequence == sequence; });
    if (end != limits_.end()) {
      if (!(max < end->max)) return false;
    } else if (limits_.size() == k_) {
      end--;
    } else {
      limits_.emplace_back();
      end = limits_.end() - 1;
    }
    // The place of what leaves is filled from below, and the new one goes where it belongs.
    const auto place = std::upper_bound(limits_.begin(), end, max, [](float x, const Limit& one) { return x < one.max; });
    std::move_backward(place, end, end + 1);
    *place = {max, sequence};
    return limits_.size() == k_;
  }

 private:
  struct Limit {
    float max;
    int32_t sequence;
  };
  size_t k_;
  /// Rising.
  std::vector<Limit> limits_;
};

}  // namespace kindred
