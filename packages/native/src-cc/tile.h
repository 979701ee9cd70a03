// A handful of queries on their way through the bank; the work of one thread.
#pragma once
#include <vector>

#include "nearest.h"
#include "search.h"

namespace kindred {

class Tile {
 public:
  /// Queries first .. last - 1.
  Tile(const SearchRequest& request, int64_t first, int64_t last);
  /// False when it was stopped.
  bool run(const std::atomic<bool>& stop);
  void write() const;
  void report(SearchReport& report) const;

 private:
  struct Candidate {
    /// No distance below this is possible.
    float least;
    int32_t row, query_row;
  };
  struct Query {
    std::vector<NearestList> lists;
    std::vector<Candidate> waiting;
    int32_t excluded;
    int32_t first_row, last_row;
    int64_t compared = 0;
    bool in_full = false;
  };

  void prepare_row(int64_t row, std::vector<double>& centred);
  void set_thresholds(Query& query);
  double loosest(const Query& query) const;
  bool skipped(const Query& query, int32_t row) const;
  void take_hits(int64_t panel, int64_t first_reference, const uint32_t* hits, const float* bounds);
  void settle(Query& query);
  void compare(Query& query, int32_t query_row, int32_t row);
  bool search_in_full(Query& query, const std::atomic<bool>& stop);
  bool stopped(const std::atomic<bool>& stop) const;

  const SearchRequest& request_;
  const Bank& bank_;
  const KnnKernels& kernels_;
  const int metric_;
  const int64_t first_query_, first_row_, rows_, panels_;
  std::vector<Query> queries_;
  std::vector<int32_t> query_of_row_;
  // Per query row, filled up to whole panels.
  std::vector<int8_t> codes_;
  std::vector<int32_t> bias_;
  std::vector<float> scale_, on_mean_, rest_, length_, threshold_;
  std::vector<double> norm_, centred_square_, slack_;
};

}  // namespace kindred
