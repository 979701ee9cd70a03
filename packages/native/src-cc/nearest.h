// The k nearest distinct sequences of a query (packages/kernels/src/knn/nearest.ts has the rules).
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "bank.h"

namespace kindred {

class NearestList {
 public:
  NearestList(const Bank& bank, int64_t k, double threshold) : bank_(&bank), k_(static_cast<size_t>(k)), bound_(threshold) {
    entries_.reserve(k_ < 1024 ? k_ : 1024);
  }

  struct Entry {
    double distance;
    int32_t reference, sequence, rank;
  };

  /// Returns the distance beyond which a candidate cannot enter.
  double bound() const { return bound_; }
  const std::vector<Entry>& entries() const { return entries_; }

  void offer(int32_t reference, double distance) {
    if (!(distance <= bound_)) return;
    const Entry entry{distance, reference, bank_->sequence[reference], bank_->rank[reference]};
    size_t last = 0;
    while (last < entries_.size() && entries_[last].sequence != entry.sequence) last++;
    if (last < entries_.size()) {
      if (!precedes(entry, entries_[last])) return;
    } else if (entries_.size() == k_) {
      last = k_ - 1;
      if (!precedes(entry, entries_[last])) return;
    } else {
      entries_.push_back(entry);
    }
    for (; last > 0 && precedes(entry, entries_[last - 1]); last--) entries_[last] = entries_[last - 1];
    entries_[last] = entry;
    if (entries_.size() == k_) bound_ = entries_.back().distance;
  }

 private:
  static bool precedes(const Entry& a, const Entry& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.rank != b.rank ? a.rank < b.rank : a.reference < b.reference;
  }

  const Bank* bank_;
  size_t k_;
  double bound_;
  std::vector<Entry> entries_;
};

}  // namespace kindred
