#include "tile.h"

#include "distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kindred {
namespace {

constexpr int64_t kLeastRoom = 192, kMostRoom = 24576;
constexpr int64_t kStepsBetweenStops = 256;
/// The number above which squares or sums could overflow float32.
constexpr double kMaxNumber = 1e30;
/// The bound above which rows must always be compared.
constexpr double kAlways = 1e36;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Returns a float32 that is below x by a little more than rounding may raise it; x itself if it is minus infinity.
float rounded_down(double x) { return static_cast<float>(x - std::fabs(x) * 0x1p-22 - 0x1p-140); }

}  // namespace

Tile::Tile(const SearchRequest& request, int64_t first, int64_t last)
    : request_(request),
      bank_(*request.bank),
      kernels_(*request.kernels),
      metric_(request.cosine ? 0 : 1),
      room_(static_cast<size_t>(std::max(kLeastRoom, std::min(kMostRoom, 6 * request.k)))),
      first_query_(first),
      first_row_(request.row_start[first]),
      rows_(request.row_start[last] - first_row_),
      panels_((rows_ + kernels_.queries - 1) / kernels_.queries),
      parts_(kernels_.squares && panels_ > 1 ? (bank_.words + kPartWords - 1) / kPartWords : 0) {
  const size_t padded = static_cast<size_t>(panels_ * kernels_.queries);
  codes_.assign(padded * static_cast<size_t>(bank_.words) * 4, 0);
  bias_.assign(padded, 0);
  for (auto* floats : {&scale_, &on_mean_, &rest_, &length_}) floats->assign(padded, 0);
  threshold_.assign(padded, kInfinity);
  norm_.assign(padded, 0);
  centred_square_.assign(padded, 0);
  slack_.assign(padded, 0);
  query_of_row_.assign(padded, 0);
  query_squares_.assign(static_cast<size_t>(panels_ * parts_), 0);
  part_sums_.assign(padded * static_cast<size_t>(parts_) * 2, 0);
  std::vector<double> centred(static_cast<size_t>(bank_.dimension));
  for (int64_t q = first; q < last; q++) {
    const int32_t begin = static_cast<int32_t>(request.row_start[q] - first_row_);
    const int32_t end = static_cast<int32_t>(request.row_start[q + 1] - first_row_);
    Query query{{}, {}, {}, request.threshold, request.excluded[q], begin, end};
    for (int s = 0; s < request.subsets; s++) {
      query.lists.emplace_back(bank_, request.k, request.threshold);
      query.limits.emplace_back(request.k);
    }
    for (int32_t row = begin; row < end; row++) {
      query_of_row_[static_cast<size_t>(row)] = static_cast<int32_t>(q - first);
      prepare_row(row, centred);
      const size_t r = static_cast<size_t>(row);
      if ((request.cosine && norm_[r] == 0) || !(slack_[r] < kMaxNumber)) query.in_full = true;
    }
    queries_.push_back(std::move(query));
    set_thresholds(queries_.back());
  }
}

/// Quantises one query row, and finds how far rounding may move its bounds (slack).
void Tile::prepare_row(int64_t row, std::vector<double>& centred) {
  const float* vector = request_.vectors + (first_row_ + row) * bank_.dimension;
  double square = 0, centred_square = 0, on_mean = 0, max = 0;
  for (int64_t i = 0; i < bank_.dimension; i++) {
    const double x = vector[i], m = bank_.mean[i], c = x - m;
    centred[static_cast<size_t>(i)] = c;
    square += x * x;
    centred_square += c * c;
    on_mean += x * m;
    max = std::max(max, std::fabs(c));
  }
  const size_t r = static_cast<size_t>(row);
  const float scale = static_cast<float>(max / kernels_.levels);
  const bool usable = scale > 0 && std::isfinite(scale);
  int8_t* codes = codes_.data() + (row / kernels_.queries) * bank_.words * kernels_.queries * 4 + (row % kernels_.queries) * 4;
  double rest_square = 0;
  int32_t sum = 0;
  for (int64_t i = 0; i < bank_.dimension; i++) {
    const double c = centred[static_cast<size_t>(i)];
    const double levels = kernels_.levels;
    const double code = usable ? std::max(-levels, std::min(levels, std::floor(c / scale + 0.5))) : 0;
    codes[(i >> 2) * kernels_.queries * 4 + (i & 3)] = static_cast<int8_t>(code);
    sum += static_cast<int32_t>(code);
    const double rest = c - scale * code;
    rest_square += rest * rest;
  }
  if (parts_ > 0) prepare_parts(row);
  constexpr double kUp = 1 + 0x1p-22;
  const double* limits = bank_.limits[metric_];
  bias_[r] = -128 * sum;
  scale_[r] = usable ? scale : 0;
  on_mean_[r] = static_cast<float>(on_mean);
  rest_[r] = static_cast<float>(std::sqrt(rest_square) * kUp);
  length_[r] = static_cast<float>(std::sqrt(centred_square) * kUp);
  norm_[r] = std::sqrt(square);
  centred_square_[r] = centred_square;
  const double q = std::sqrt(centred_square);
  const double own = request_.cosine ? norm_[r] : centred_square;
  const double magnitudes = q * limits[0] + limits[1] + std::fabs(on_mean) * limits[2] + q * limits[3] + q * limits[4] + own;
  // The slack allows for sixteen roundings of everything that is added up, and for losses where numbers are too small for float32.
  slack_[r] = 0x1p-20 * magnitudes + 1e-44 * limits[2] + 1e-30;
  if (std::fabs(on_mean) > kMaxNumber) slack_[r] = kMaxNumber;
}

/// Adds up the codes of a query row, and their squares, in each part.
void Tile::prepare_parts(int64_t row) {
  const int64_t queries = kernels_.queries, panel = row / queries, place = row % queries;
  const int8_t* codes = codes_.data() + panel * bank_.words * queries * 4 + place * 4;
  for (int64_t p = 0; p < parts_; p++) {
    uint16_t& largest = query_squares_[static_cast<size_t>(panel * parts_ + p)];
    int16_t* sums = part_sums_.data() + ((panel * parts_ + p) * queries + place) * 2;
    int32_t squares[2] = {0, 0};
    for (int64_t w = p * kPartWords; w < std::min(bank_.words, (p + 1) * kPartWords); w++) {
      for (int i = 0; i < 4; i++) {
        const int32_t code = codes[w * queries * 4 + i];
        sums[i >> 1] = static_cast<int16_t>(sums[i >> 1] + code);
        squares[i >> 1] += code * code;
      }
    }
    const int32_t square = std::min<int32_t>(std::max(squares[0], squares[1]), kLargeSquares);
    largest = std::max(largest, static_cast<uint16_t>(square));
  }
}

/// Returns the distance above which a candidate cannot enter a list any more. A distance that rounds to the list's bound may be this much
/// above it.
double Tile::bound(const Query& query) const {
  double bound = query.lists[0].bound();
  for (const NearestList& list : query.lists) bound = std::max(bound, list.bound());
  return std::min(bound, query.proven) * (1 + 0x1p-23) + 2e-12;
}

/// Computes the smallest bound (of <q, r> / |r| or <q', r'> - |r'|^2 / 2) with which a row could still enter a list.
void Tile::set_thresholds(Query& query) {
  const double max = bound(query);
  for (int32_t row = query.first_row; row < query.last_row; row++) {
    const size_t r = static_cast<size_t>(row);
    const double min = request_.cosine ? (1 - max) * norm_[r] : 0.5 * (centred_square_[r] - max);
    threshold_[r] = query.in_full ? kInfinity : rounded_down(min - slack_[r]);
  }
}

bool Tile::skipped(const Query& query, int32_t row) const {
  if (!request_.subset_bits && query.excluded < 0) return false;
  const int32_t reference = bank_.reference[row];
  if (request_.subset_bits && request_.subset_bits[reference] == 0) return true;
  return query.excluded >= 0 && bank_.sequence[reference] == query.excluded;
}

void Tile::compare(Query& query, int32_t query_row, int32_t row) {
  const int64_t n = bank_.dimension;
  const float *a = request_.vectors + (first_row_ + query_row) * n, *b = bank_.vectors + row * n;
  const double distance = request_.cosine
                              ? cosine_distance(kernels_, a, b, n, norm_[static_cast<size_t>(query_row)] * bank_.norms[row])
                              : squared_distance(kernels_, a, b, n);
  query.compared++;
  const int32_t reference = bank_.reference[row];
  for (int s = 0; s < request_.subsets; s++) {
    if (in_subset(row, s)) query.lists[static_cast<size_t>(s)].offer(reference, distance);
  }
}

/// Compares waiting candidates, the most promising first, until none of the rest can enter a list. Candidates are anywhere in the bank, so
/// their data is requested in time: pages and numbers before the sorting, vectors just ahead.
void Tile::settle(Query& query) {
  std::vector<Candidate>& waiting = query.waiting;
  for (const Candidate& c : waiting) {
    const float* vector = bank_.vectors + c.row * bank_.dimension;
    __builtin_prefetch(vector);
    __builtin_prefetch(vector + bank_.dimension - 1);
    __builtin_prefetch(bank_.norms + c.row);
    __builtin_prefetch(bank_.reference + c.row);
  }
  std::sort(waiting.begin(), waiting.end(), [](const Candidate& a, const Candidate& b) {
    return a.min != b.min ? a.min < b.min : a.row != b.row ? a.row < b.row : a.query_row < b.query_row;
  });
  for (size_t i = 0; i < waiting.size(); i++) {
    if (waiting[i].min > bound(query)) break;
    if (i + 4 < waiting.size()) {
      const int32_t reference = bank_.reference[waiting[i + 4].row];
      __builtin_prefetch(bank_.sequence + reference);
      __builtin_prefetch(bank_.rank + reference);
    }
    if (i + 2 < waiting.size()) {
      const float* next = bank_.vectors + waiting[i + 2].row * bank_.dimension;
      for (int64_t at = 0; at < bank_.dimension; at += 16) __builtin_prefetch(next + at);
    }
    compare(query, waiting[i].query_row, waiting[i].row);
  }
  waiting.clear();
  set_thresholds(query);
}

/// Turns the bound of a step, and how far the true value may be below it, into the interval that holds the distance.
Tile::Candidate Tile::judge(float bound, float width, int32_t row, int32_t query_row) const {
  const size_t r = static_cast<size_t>(query_row);
  const double high = bound + slack_[r], low = bound - width - slack_[r];
  const double min = request_.cosine ? 1 - high / norm_[r] : centred_square_[r] - 2 * high;
  // A row that must be compared (see B in format.ts) has no proven distance.
  const double max = bound > kAlways ? kInfinity : request_.cosine ? 1 - low / norm_[r] : centred_square_[r] - 2 * low;
  return {rounded_down(min), -rounded_down(-max), row, query_row};
}

/// Uses a candidate's upper limit, which may prove that the neighbours are nearer than was known.
void Tile::prove(Query& query, const Candidate& candidate) {
  const int32_t sequence = bank_.distinct ? candidate.row : bank_.sequence[bank_.reference[candidate.row]];
  const bool repeats = !bank_.distinct || query.last_row - query.first_row > 1;
  bool nearer = false;
  for (int s = 0; s < request_.subsets; s++) {
    if (in_subset(candidate.row, s)) nearer |= query.limits[static_cast<size_t>(s)].offer(candidate.max, sequence, repeats);
  }
  if (!nearer) return;
  double proven = 0;
  for (const SmallestLimits& limits : query.limits) proven = std::max<double>(proven, limits.bound());
  // Rounding to float32, as for distances, may raise a distance a little above its upper limit.
  query.proven = std::min(query.proven, proven * (1 + 0x1p-23) + 2e-12);
  set_thresholds(query);
}

/// Keeps a reference that may be a neighbour, to compare it later.
void Tile::take_hit(Query& query, const Candidate& candidate) {
  if (query.in_full || candidate.min > bound(query) || skipped(query, candidate.row)) return;
  query.waiting.push_back(candidate);
  prove(query, candidate);
  if (query.waiting.size() >= room_) make_room(query);
}

/// Drops waiting candidates that cannot be neighbours, by the intervals alone. If too many are left, all are compared.
void Tile::make_room(Query& query) {
  const double max = bound(query);
  const auto far = [max](const Candidate& c) { return c.min > max; };
  query.waiting.erase(std::remove_if(query.waiting.begin(), query.waiting.end(), far), query.waiting.end());
  if (3 * query.waiting.size() <= 2 * room_) return;
  if (query.compared > std::max<int64_t>(4096, bank_.rows / 8)) query.in_full = true;
  settle(query);
}

bool Tile::in_subset(int32_t row, int subset) const {
  return !request_.subset_bits || (request_.subset_bits[bank_.reference[row]] >> subset & 1u) != 0;
}

void Tile::take_hits(int64_t panel, int64_t first_reference, const uint32_t* hits, const float* bounds) {
  for (int p = 0; p < kernels_.queries; p++) {
    if (hits[p] == 0) continue;
    const int32_t row = static_cast<int32_t>(panel * kernels_.queries + p);
    if (row >= rows_) continue;
    const size_t r = static_cast<size_t>(row);
    Query& query = queries_[static_cast<size_t>(query_of_row_[r])];
    for (uint32_t left = hits[p]; left != 0; left &= left - 1) {
      const int bit = __builtin_ctz(left);
      const int64_t reference = first_reference + bit;
      if (reference >= bank_.rows) break;
      const float* numbers = bank_.numbers[metric_] + (reference >> 4) * 80 + (reference & 15);
      const float width = 2 * (rest_[r] * numbers[48] + length_[r] * numbers[64]);
      take_hit(query, judge(bounds[p * kStepRows + bit], width, static_cast<int32_t>(reference), row));
    }
  }
}

bool Tile::stopped(const std::atomic<bool>& stop) const {
  return stop.load(std::memory_order_relaxed) || (request_.control && request_.control[0].load(std::memory_order_relaxed) != 0);
}

bool Tile::run(const std::atomic<bool>& stop) {
  uint32_t hits[kMaxQueries];
  alignas(64) float bounds[kMaxQueries * kStepRows];
  const int64_t group_bytes = bank_.words * 64;
  std::vector<uint16_t> row_squares(static_cast<size_t>(2 * parts_));
  for (int64_t group = 0; group < bank_.groups; group += 2) {
    if (group % (2 * kStepsBetweenStops) == 0 && stopped(stop)) return false;
    const bool pair = group + 1 < bank_.groups;
    const int64_t second = pair ? group + 1 : group;
    const float* numbers = bank_.numbers[metric_];
    // The codes of the next step are fetched a little with each panel, so that they never hold up the arithmetic.
    const uint8_t* next = bank_.codes + (group + 2) * group_bytes;
    const int64_t share = group + 3 < bank_.groups ? (2 * group_bytes / panels_ + 63) & ~int64_t{63} : 0;
    const uint8_t* const codes[2] = {bank_.codes + group * group_bytes, bank_.codes + second * group_bytes};
    for (int half = 0; parts_ > 0 && half < 2; half++) kernels_.squares(codes[half], bank_.words, row_squares.data() + half * parts_);
    for (int64_t panel = 0; panel < panels_; panel++) {
      for (int64_t at = panel * share; at < std::min((panel + 1) * share, 2 * group_bytes); at += 64) __builtin_prefetch(next + at, 0, 2);
      const int64_t row = panel * kernels_.queries;
      const Step step = {{codes[0], codes[1]},
                         {numbers + group * 80, numbers + second * 80},
                         codes_.data() + row * bank_.words * 4,
                         bank_.words,
                         parts_ > 0 ? row_squares.data() : nullptr,
                         query_squares_.data() + panel * parts_,
                         part_sums_.data() + row * parts_ * 2,
                         bias_.data() + row,
                         scale_.data() + row,
                         on_mean_.data() + row,
                         rest_.data() + row,
                         length_.data() + row,
                         threshold_.data() + row,
                         hits,
                         bounds};
      kernels_.step(step);
      uint32_t any = 0;
      for (int p = 0; p < kernels_.queries; p++) any |= pair ? hits[p] : hits[p] &= 0xffffu;
      if (any != 0) take_hits(panel, group * 16, hits, bounds);
    }
  }
  for (Query& query : queries_) {
    if (!query.in_full) settle(query);
    if (query.in_full && !search_in_full(query, stop)) return false;
  }
  return true;
}

/// Compares every row, for queries without a direction, of extreme size, or with too many candidates to prove anything.
bool Tile::search_in_full(Query& query, const std::atomic<bool>& stop) {
  for (NearestList& list : query.lists) list = NearestList(bank_, request_.k, request_.threshold);
  for (int64_t row = 0; row < bank_.rows; row++) {
    if (row % 4096 == 0 && stopped(stop)) return false;
    if (skipped(query, static_cast<int32_t>(row))) continue;
    for (int32_t q = query.first_row; q < query.last_row; q++) compare(query, q, static_cast<int32_t>(row));
  }
  return true;
}

void Tile::write() const {
  for (int s = 0; s < request_.subsets; s++) {
    for (size_t q = 0; q < queries_.size(); q++) {
      const int64_t at = (s * request_.queries + first_query_ + static_cast<int64_t>(q)) * request_.k;
      const auto& entries = queries_[q].lists[static_cast<size_t>(s)].entries();
      for (int64_t i = 0; i < request_.k; i++) {
        const bool filled = i < static_cast<int64_t>(entries.size());
        request_.neighbours[at + i] = filled ? entries[static_cast<size_t>(i)].reference : -1;
        request_.distances[at + i] = filled ? static_cast<float>(entries[static_cast<size_t>(i)].distance) : kInfinity;
      }
    }
  }
}

void Tile::report(SearchReport& report) const {
  for (const Query& query : queries_) {
    report.uncertified += query.in_full ? 1 : 0;
    report.compared += query.compared;
  }
}

}  // namespace kindred
