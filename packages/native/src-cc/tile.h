// A few queries on their way through the bank, which are the work of one thread.
#pragma once
#include <vector>

#include "smallest-limits.h"
#include "nearest.h"
#include "search.h"

namespace kindred {

class Tile {
 public:
  /// Takes the queries first .. last - 1.
  Tile(const SearchRequest& request, int64_t first, int64_t last);
  /// Runs the tile. Returns false if it was stopped.
  bool run(const std::atomic<bool>& stop);
  void write() const;
  void report(SearchReport& report) const;

 private:
  struct Candidate {
    /// The ends of the interval that holds the distance.
    float min, max;
    int32_t row, query_row;
  };
  struct Query {
    std::vector<NearestList> lists;
    /// The upper limits of the candidates that wait or waited, for each subset.
    std::vector<SmallestLimits> limits;
    std::vector<Candidate> waiting;
    /// The distance that no neighbour exceeds, by `limits`.
    double proven;
    int32_t excluded;
    int32_t first_row, last_row;
    int64_t compared = 0;
    bool in_full = false;
  };

  void prepare_parts(int64_t row);
  void prepare_row(int64_t row, std::vector<double>& centred);
  void set_thresholds(Query& query);
  double bound(const Query& query) const;
  void prove(Query& query, const Candidate& candidate);
  bool in_subset(int32_t row, int subset) const;
  bool skipped(const Query& query, int32_t row) const;
  Candidate judge(float bound, float width, int32_t row, int32_t query_row) const;
  void take_hit(Query& query, const Candidate& candidate);
  void make_room(Query& query);
  void take_hits(int64_t panel, int64_t first_reference, const uint32_t* hits, const float* bounds);
  void settle(Query& query);
  void compare(Query& query, int32_t query_row, int32_t row);
  bool search_in_full(Query& query, const std::atomic<bool>& stop);
  bool stopped(const std::atomic<bool>& stop) const;

  const SearchRequest& request_;
  const Bank& bank_;
  const KnnKernels& kernels_;
  const int metric_;
  /// The maximum number of waiting candidates of a query.
  const size_t room_;
  const int64_t first_query_, first_row_, rows_, panels_;
  std::vector<Query> queries_;
  std::vector<int32_t> query_of_row_;
  // These arrays have values for each query row, filled up to whole panels.
  std::vector<int8_t> codes_;
  std::vector<int32_t> bias_;
  std::vector<float> scale_, on_mean_, rest_, length_, threshold_;
  std::vector<double> norm_, centred_square_, slack_;
  /// The number of parts of the dimensions (see kPartWords); 0 if the kernels use none, or there are too few queries to be worth it.
  const int64_t parts_;
  /// The largest squares of each panel's queries, [panels x parts], and the sums of their codes, [panels x parts x queries x 2].
  std::vector<uint16_t> query_squares_;
  std::vector<int16_t> part_sums_;
};

}  // namespace kindred
