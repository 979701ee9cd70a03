#include "homology.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

namespace kindred {
namespace {

constexpr int kResidues = 20;
/// The rank of each letter among the 20 residues in alphabetical order, or -1.
constexpr int8_t kRank[32] = {0,  -1, 1,  2,  3,  4,  5,  6,  7,  -1, 8,  9,  10, 11, -1, 12,
                              13, 14, 15, 16, -1, 17, 18, -1, 19, -1, -1, -1, -1, -1, -1, -1};

struct Candidate {
  int32_t sequence, score, diagonal;
};

/// A list whose writer asks once for room and then writes without a check for each item.
template <typename T>
class Row {
 public:
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  const T* begin() const { return items_.get(); }
  const T* end() const { return items_.get() + size_; }
  /// Returns the place for the next items, at most `count`; `close` says where they end.
  T* open(size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    return items_.get() + size_;
  }
  void close(const T* end) { size_ = static_cast<size_t>(end - items_.get()); }

 private:
  void grow(size_t least) {
    capacity_ = std::max(least, 2 * capacity_);
    std::unique_ptr<T[]> wider(new T[capacity_]);
    std::copy(begin(), end(), wider.get());
    items_ = std::move(wider);
  }
  std::unique_ptr<T[]> items_;
  size_t size_ = 0, capacity_ = 0;
};

bool better(const Candidate& a, const Candidate& b) { return a.score > b.score || (a.score == b.score && a.sequence < b.sequence); }

class Search {
 public:
  explicit Search(const HomologyRequest& request)
      : r_(request), best_(static_cast<size_t>(request.sequences), 0), diagonal_(best_), last_high_(best_.size(), INT32_MIN) {
    for (int a = 0; a < 32; a++) {
      for (int b = 0; b < 32; b++) table_[a][b] = a == kDelimiter || b == kDelimiter ? kNever : request.matrix[a * 32 + b];
    }
    for (int a = 0; a < 32; a++) {
      if (kRank[a] < 0) continue;
      Neighbours& n = neighbours_[a];
      int size = 0;
      for (int b = 0; b < 32; b++) {
        if (kRank[b] >= 0) n.letters[size++] = {table_[a][b], kRank[b]};
      }
      std::stable_sort(n.letters, n.letters + kResidues, [](const Scored& x, const Scored& y) { return x.score > y.score; });
      for (int need = -128; need < 128; need++) {
        n.at_least[need + 128] = 0;
        for (const Scored& b : n.letters) n.at_least[need + 128] |= static_cast<uint32_t>(b.score >= need) << b.rank;
      }
    }
  }

  void query(int32_t number) {
    codes_ = r_.query_codes + r_.query_start[number];
    masked_ = r_.masked + r_.query_start[number];
    length_ = r_.query_start[number + 1] - r_.query_start[number];
    scores_.resize(static_cast<size_t>(length_));
    for (int32_t i = 0; i < length_; i++) {
      if (codes_[i] >= kDelimiter) throw std::range_error("a residue code is out of range");
      scores_[static_cast<size_t>(i)] = table_[codes_[i]];
    }
    find_segments();
    std::vector<Candidate> candidates = collect(r_.excluded[number]);
    score_in_bands(candidates, r_.kernels->byte_lanes, r_.kernels->band_bytes);
    const auto limited = std::partition(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.score < 255; });
    std::vector<Candidate> high(limited, candidates.end());
    score_in_bands(high, r_.kernels->word_lanes, r_.kernels->band_words);
    std::copy(high.begin(), high.end(), limited);
    const auto end = std::partition(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.score >= r_.minimum_band[number]; });
    std::sort(candidates.begin(), end, better);
    const int32_t count = static_cast<int32_t>(std::min<int64_t>(r_.limit, end - candidates.begin()));
    r_.count[number] = count;
    for (int32_t c = 0; c < count; c++) {
      r_.found[static_cast<int64_t>(number) * r_.limit + c] = candidates[static_cast<size_t>(c)].sequence;
      r_.score[static_cast<int64_t>(number) * r_.limit + c] = candidates[static_cast<size_t>(c)].score;
    }
    candidates.resize(static_cast<size_t>(count));
    align(candidates, r_.aligned + static_cast<int64_t>(number) * r_.limit * 4);
  }

 private:
  struct Scored {
    int8_t score, rank;
  };
  /// The 20 residues by falling score against one residue, and a bit for each that scores at least -128 .. 127.
  struct Neighbours {
    Scored letters[kResidues];
    uint32_t at_least[256];
  };
  struct Range {
    int32_t from, to;
  };
  /// Three letters of words, as a number, and their score.
  struct Start {
    int32_t word;
    int score;
  };
  /// The line of four letters, and the last letters of those words that occur and score enough.
  struct Prefix {
    const uint8_t* line;
    uint32_t last;
  };

  /// A query position on its way from starts to prefixes, words, places and windows.
  struct Position {
    int32_t at;
    /// Whether a seed begins at the position.
    bool has_seed = false;
    const Neighbours *fourth, *last;
    Row<Start> starts;
    Row<Prefix> prefixes;
    Row<Range> words;
    Row<int32_t> hits;
  };
  static constexpr int kSteps = 5;

  /// Finds the best diagonal of each sequence by its windows, and the diagonals whose windows a byte cannot hold. Every step requests
  /// memory that the next one reads; in between, the steps of other positions give the memory time to arrive.
  void find_segments() {
    const int32_t end = std::max(0, length_ - r_.offsets[kSeedLetters - 1]);
    for (int32_t at = 0; at < end + kSteps - 1; at++) {
      Position& first = positions_[at % kSteps];
      first.at = at;
      first.has_seed = at < end && find_starts(first);
      if (at >= 1) find_prefixes(positions_[(at - 1) % kSteps]);
      if (at >= 2) find_words(positions_[(at - 2) % kSteps]);
      if (at >= 3) gather_places(positions_[(at - 3) % kSteps]);
      if (at >= 4) score_windows(positions_[(at - 4) % kSteps]);
    }
  }

  void score_windows(Position& position) {
    Row<int32_t>& hits = position.hits;
    if (!position.has_seed || hits.size() == 0) return;
    WindowBatch batch;
    batch.codes = r_.codes;
    batch.hits = static_cast<int32_t>(hits.size());
    const int32_t some_place = *hits.begin();
    std::fill_n(hits.open(kHitSlack), kHitSlack, some_place);
    batch.places = hits.begin();
    const int8_t* rows[kWindow];
    for (int c = 0; c < kWindow; c++) {
      const int32_t i = position.at - kWindowLeft + c;
      rows[c] = i < 0 || i >= length_ ? table_[kDelimiter] : scores_[static_cast<size_t>(i)];
    }
    batch.rows = rows;
    batch.minimum = static_cast<int8_t>(r_.minimum_window);
    segments_.clear();
    r_.kernels->windows(batch, segments_);
    for (const Segment& segment : segments_) keep(segment, position.at);
  }

  /// Finds three letters of the words that score enough against the seed at a position; false if the seed has a letter that is not a
  /// residue.
  bool find_starts(Position& position) {
    const Neighbours* side[kSeedLetters];
    int rest[kSeedLetters + 1] = {0, 0, 0, 0, 0, 0};
    int masked = 0;
    for (int k = kSeedLetters - 1; k >= 0; k--) {
      const int32_t i = position.at + r_.offsets[k];
      if (kRank[codes_[i]] < 0) return false;
      masked += masked_[i] != 0;
      side[k] = &neighbours_[codes_[i]];
      rest[k] = rest[k + 1] + side[k]->letters[0].score;
    }
    if (masked == kSeedLetters) return false;
    position.fourth = side[3];
    position.last = side[4];
    position.starts.clear();
    const int need = r_.minimum_seed;
    for (const Scored& a : side[0]->letters) {
      if (a.score + rest[1] < need) break;
      for (const Scored& b : side[1]->letters) {
        const int sum_b = a.score + b.score;
        if (sum_b + rest[2] < need) break;
        Start* next = position.starts.open(kResidues);
        for (const Scored& c : side[2]->letters) {
          const int sum_c = sum_b + c.score;
          if (sum_c + rest[3] < need) break;
          const int32_t word = (a.rank * kResidues + b.rank) * kResidues + c.rank;
          __builtin_prefetch(r_.occupied + word * kResidues);
          __builtin_prefetch(r_.occupied + word * kResidues + kResidues - 1);
          *next++ = {word, sum_c};
        }
        position.starts.close(next);
      }
    }
    return true;
  }

  /// Finds the fourth letters of the words, where a word with a fifth one occurs and scores enough.
  void find_prefixes(Position& position) {
    position.prefixes.clear();
    if (!position.has_seed) return;
    const int best_last = position.last->letters[0].score;
    for (const Start& start : position.starts) {
      Prefix* next = position.prefixes.open(kResidues);
      for (const Scored& d : position.fourth->letters) {
        const int need = r_.minimum_seed - start.score - d.score;
        if (best_last < need) break;
        const int32_t prefix = start.word * kResidues + d.rank;
        const uint32_t last = r_.occupied[prefix] & position.last->at_least[std::max(need, -128) + 128];
        if (last == 0) continue;
        const uint8_t* line = r_.prefixes + static_cast<int64_t>(prefix) * kPrefixBytes;
        __builtin_prefetch(line);
        *next++ = {line, last};
      }
      position.prefixes.close(next);
    }
  }

  void find_words(Position& position) {
    position.words.clear();
    if (!position.has_seed) return;
    for (const Prefix& prefix : position.prefixes) {
      int32_t first;
      __builtin_memcpy(&first, prefix.line + kFirstPlace, 4);
      Range* next = position.words.open(kResidues);
      for (uint32_t last = prefix.last; last != 0; last &= last - 1) {
        const int r = __builtin_ctz(last);
        const int64_t from = first + static_cast<int64_t>(r == 0 ? 0 : places_up_to(prefix.line, r - 1));
        const int64_t to = first + static_cast<int64_t>(places_up_to(prefix.line, r));
        if (from < 0 || to < from || to > r_.place_count) throw std::range_error("the seed index is damaged");
        __builtin_prefetch(r_.places + from);
        *next++ = {static_cast<int32_t>(from), static_cast<int32_t>(to)};
      }
      position.words.close(next);
    }
  }

  static uint32_t places_up_to(const uint8_t* line, int r) {
    uint32_t four;
    __builtin_memcpy(&four, line + 3 * r, 4);
    return four & 0xffffff;
  }

  void gather_places(Position& position) {
    position.hits.clear();
    const uint8_t* codes = r_.codes;
    const int32_t* places = r_.places;
    const uint32_t inside = static_cast<uint32_t>(r_.letters - 2 * kIndexPadding);
    for (const Range& range : position.words) {
      int32_t* next = position.hits.open(static_cast<size_t>(range.to - range.from));
      for (int32_t p = range.from; p < range.to; p++) {
        const int32_t place = places[p];
        if (static_cast<uint32_t>(place - kIndexPadding) >= inside) throw std::range_error("the seed index is damaged");
        __builtin_prefetch(codes + place - kWindowLeft);
        __builtin_prefetch(codes + place + kWindowRight - 1);
        *next++ = place;
      }
      position.hits.close(next);
    }
  }

  void keep(const Segment& segment, int32_t at) {
    const int32_t sequence = static_cast<int32_t>(std::upper_bound(r_.start, r_.start + r_.sequences + 1, segment.place) - r_.start) - 1;
    if (sequence < 0 || sequence >= r_.sequences) throw std::range_error("the seed index is damaged");
    const int32_t diagonal = segment.place - r_.start[sequence] - at;
    if (segment.score < 127) {
      keep_best({sequence, segment.score, diagonal});
      return;
    }
    // Seeds of one diagonal mostly follow one another, so this test keeps the list short; collect() makes it distinct.
    int32_t& last = last_high_[static_cast<size_t>(sequence)];
    if (last == diagonal) return;
    last = diagonal;
    high_.push_back({sequence, 0, diagonal});
  }

  void keep_best(const Candidate& c) {
    int32_t& best = best_[static_cast<size_t>(c.sequence)];
    int32_t& diagonal = diagonal_[static_cast<size_t>(c.sequence)];
    if (best == 0) touched_.push_back(c.sequence);
    if (c.score < best || (c.score == best && c.diagonal >= diagonal)) return;
    best = c.score;
    diagonal = c.diagonal;
  }

  std::vector<Candidate> collect(int32_t excluded) {
    const auto by_diagonal = [](const Candidate& a, const Candidate& b) { return a.sequence < b.sequence || (a.sequence == b.sequence && a.diagonal < b.diagonal); };
    const auto same = [](const Candidate& a, const Candidate& b) { return a.sequence == b.sequence && a.diagonal == b.diagonal; };
    std::sort(high_.begin(), high_.end(), by_diagonal);
    high_.erase(std::unique(high_.begin(), high_.end(), same), high_.end());
    for (Candidate& c : high_) {
      c.score = best_on_diagonal(c.sequence, c.diagonal);
      keep_best(c);
    }
    for (const Candidate& c : high_) last_high_[static_cast<size_t>(c.sequence)] = INT32_MIN;
    high_.clear();
    std::vector<Candidate> all;
    for (const int32_t sequence : touched_) {
      const size_t s = static_cast<size_t>(sequence);
      if (sequence != excluded) all.push_back({sequence, best_[s], diagonal_[s]});
      best_[s] = 0;
    }
    touched_.clear();
    return all;
  }

  int32_t best_on_diagonal(int32_t sequence, int32_t diagonal) const {
    const uint8_t* codes = r_.codes + r_.start[sequence];
    const int32_t size = r_.start[sequence + 1] - 1 - r_.start[sequence];
    int32_t sum = 0, best = 0;
    for (int32_t i = std::max(0, -diagonal); i < length_ && i + diagonal < size; i++) {
      sum = std::max(0, sum + scores_[static_cast<size_t>(i)][codes[i + diagonal] & 31]);
      best = std::max(best, sum);
    }
    return best;
  }

  /// Returns the rows of a candidate's band that meet its sequence.
  static int32_t first_row(const Candidate& c, int radius) { return std::max(0, -c.diagonal - radius); }
  int32_t last_row(const Candidate& c, int radius) const {
    return static_cast<int32_t>(std::min<int64_t>(length_, static_cast<int64_t>(size_of(c)) - c.diagonal + radius));
  }
  int32_t size_of(const Candidate& c) const { return r_.start[c.sequence + 1] - 1 - r_.start[c.sequence]; }

  /// Bands side by side that share the rows from `first` on.
  struct Lanes {
    int used;
    int32_t first, rows;
  };

  /// Puts bands of similar rows next to one another.
  template <typename Item>
  void sort_by_rows(std::vector<Item>& items, int radius) const {
    std::sort(items.begin(), items.end(), [&](const Candidate& a, const Candidate& b) {
      const int32_t first_a = first_row(a, radius), first_b = first_row(b, radius), last_a = last_row(a, radius), last_b = last_row(b, radius);
      return first_a != first_b ? first_a < first_b : last_a != last_b ? last_a < last_b : a.sequence < b.sequence;
    });
  }

  /// Fills `letters_` with the references of the candidates from `from` on, one for each lane.
  template <typename Item>
  Lanes fill_lanes(const std::vector<Item>& items, size_t from, int lanes, int radius) {
    Lanes shared = {static_cast<int>(std::min(items.size() - from, static_cast<size_t>(lanes))), length_, 0};
    int32_t last = 0;
    for (int l = 0; l < shared.used; l++) {
      const Candidate& c = items[from + static_cast<size_t>(l)];
      shared.first = std::min(shared.first, first_row(c, radius));
      last = std::max(last, last_row(c, radius));
    }
    shared.rows = last - shared.first;
    const int64_t columns = shared.rows + 2 * radius;
    letters_.assign(static_cast<size_t>(columns * lanes) + 64, kDelimiter);
    for (int l = 0; l < shared.used; l++) fill_lane(items[from + static_cast<size_t>(l)], shared.first - radius, columns, lanes, letters_.data() + l);
    return shared;
  }

  void fill_lane(const Candidate& c, int64_t row, int64_t columns, int lanes, uint8_t* lane) const {
    const uint8_t* codes = r_.codes + r_.start[c.sequence];
    const int64_t offset = row + c.diagonal;
    const int64_t from = std::max<int64_t>(0, -offset), to = std::min<int64_t>(columns, size_of(c) - offset);
    for (int64_t k = from; k < to; k++) lane[k * lanes] = codes[offset + k] & 31;
  }

  /// Replaces the scores by the scores in the band around the diagonal.
  void score_in_bands(std::vector<Candidate>& candidates, int lanes, void (*kernel)(const BandBatch&)) {
    sort_by_rows(candidates, kBandRadius);
    int32_t best[64];
    for (size_t from = 0; from < candidates.size(); from += static_cast<size_t>(lanes)) {
      const Lanes shared = fill_lanes(candidates, from, lanes, kBandRadius);
      BandBatch batch;
      batch.rows = shared.rows;
      batch.scores = scores_.data() + shared.first;
      batch.letters = letters_.data();
      batch.gap_open = r_.gap_open;
      batch.gap_extend = r_.gap_extend;
      batch.best = best;
      kernel(batch);
      for (int l = 0; l < shared.used; l++) candidates[from + static_cast<size_t>(l)].score = best[l];
    }
  }

  struct Placed : Candidate {
    /// The number among the query's candidates.
    size_t place;
  };

  /// Aligns each candidate in the wide band around its diagonal; `out` has four numbers for each candidate.
  void align(const std::vector<Candidate>& candidates, int32_t* out) {
    std::vector<Placed> placed;
    for (size_t c = 0; c < candidates.size(); c++) placed.push_back({candidates[c], c});
    sort_by_rows(placed, kAlignRadius);
    const HomologyKernels& k = *r_.kernels;
    BandEnd ends[64];
    for (size_t from = 0; from < placed.size(); from += static_cast<size_t>(k.word_lanes)) {
      const Lanes shared = fill_lanes(placed, from, k.word_lanes, kAlignRadius);
      const size_t bytes = static_cast<size_t>(shared.rows) * kAlignWidth * static_cast<size_t>(k.flag_bytes);
      if (bytes > trace_bytes_) {
        trace_.reset();
        trace_.reset(new uint8_t[bytes]);
        trace_bytes_ = bytes;
      }
      TraceBatch batch;
      batch.rows = shared.rows;
      batch.scores = scores_.data() + shared.first;
      batch.letters = letters_.data();
      batch.gap_open = r_.gap_open;
      batch.gap_extend = r_.gap_extend;
      batch.trace = trace_.get();
      batch.ends = ends;
      k.trace_words(batch);
      for (int l = 0; l < shared.used; l++) walk(batch, shared.first, l, out + placed[from + static_cast<size_t>(l)].place * 4);
    }
  }

  /// Follows one lane's trace back from the end of its best alignment.
  void walk(const TraceBatch& batch, int32_t first, int lane, int32_t* out) const {
    const HomologyKernels& k = *r_.kernels;
    const BandEnd& end = batch.ends[lane];
    int32_t i = end.row, b = end.column, left = end.score, identical = 0, gaps = 0, length = 0;
    int state = 0;
    while (i >= 0 && b >= 0 && b < kAlignWidth && (state != 0 || left > 0)) {
      const int bits = k.flags(batch.trace + (static_cast<int64_t>(i) * kAlignWidth + b) * k.flag_bytes, lane);
      length++;
      if (state == 0 && bits & kFromPair) {
        const uint8_t query = codes_[first + i], reference = batch.letters[static_cast<int64_t>(i + b) * k.word_lanes + lane];
        identical += query == reference;
        left -= batch.scores[i][reference];
        i--;
        continue;
      }
      if (state == 0) state = bits & kFromQueryGap ? kOpensQueryGap : kOpensReferenceGap;
      const bool opens = bits & state;
      left += opens ? r_.gap_open : r_.gap_extend;
      gaps++;
      if (state == kOpensQueryGap) i--, b++;
      else b--;
      if (opens) state = 0;
    }
    out[0] = end.score;
    out[1] = identical;
    out[2] = gaps;
    out[3] = length;
  }

  const HomologyRequest& r_;
  int8_t table_[32][32];
  Neighbours neighbours_[32];
  /// The best window of each sequence and its diagonal; all entries are 0 between queries.
  std::vector<int32_t> best_, diagonal_;
  /// The diagonal of each sequence whose window was the last to reach the limit, or INT32_MIN.
  std::vector<int32_t> last_high_;
  std::vector<int32_t> touched_;
  Position positions_[kSteps];
  std::vector<Segment> segments_;
  std::vector<Candidate> high_;
  std::vector<const int8_t*> scores_;
  std::vector<uint8_t> letters_;
  std::unique_ptr<uint8_t[]> trace_;
  size_t trace_bytes_ = 0;
  const uint8_t* codes_ = nullptr;
  const uint8_t* masked_ = nullptr;
  int32_t length_ = 0;
};

}  // namespace

bool find_homologs(const HomologyRequest& request) {
  Search search(request);
  for (int32_t q = 0; q < request.queries; q++) {
    if (request.stopped && request.stopped(request.context)) return false;
    search.query(q);
  }
  return true;
}

}  // namespace kindred
