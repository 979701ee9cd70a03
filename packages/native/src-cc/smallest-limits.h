// The k smallest upper limits of distances to distinct sequences. No neighbour is farther than the last of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace kindred {

class SmallestLimits {
 public:
  explicit SmallestLimits(int64_t k) : k_(static_cast<size_t>(k)) { limits_.reserve(k_ < 1024 ? k_ : 1024); }

  /// Returns the last of the k limits; infinite until k sequences were offered.
  float bound() const { return limits_.size() == k_ ? limits_.back().max : std::numeric_limits<float>::infinity(); }

  /// Returns true if the bound may have become smaller. `repeats` says that the sequence may have been offered before.
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
    // The entries below the removed one move up, and the new one is inserted in order.
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
  /// The limits in ascending order.
  std::vector<Limit> limits_;
};

}  // namespace kindred
