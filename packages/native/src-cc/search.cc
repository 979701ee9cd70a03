#include "search.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tile.h"

namespace kindred {
namespace {

/// The number of query rows that go through the bank together, so large that reading the bank costs little beside the arithmetic.
constexpr int64_t kTileRows = 224;

/// Returns the first query of each tile, and the end. Each thread gets several tiles, so that a slow core takes fewer of them.
std::vector<int64_t> cut_tiles(const SearchRequest& request) {
  const int64_t rows = request.row_start[request.queries];
  const int64_t step = request.kernels->queries;
  const int64_t share = request.threads > 1 ? rows / (4 * request.threads) : rows;
  const int64_t wanted = std::max(step, std::min(kTileRows, (share + step - 1) / step * step));
  std::vector<int64_t> tiles{0};
  for (int64_t q = 0; q < request.queries; q++) {
    const bool fits = request.row_start[q + 1] - request.row_start[tiles.back()] <= wanted;
    if (!fits && q > tiles.back()) tiles.push_back(q);
  }
  tiles.push_back(request.queries);
  return tiles;
}

class Run {
 public:
  explicit Run(const SearchRequest& request) : request_(request), tiles_(cut_tiles(request)) {}

  SearchReport run() {
    std::vector<std::thread> others;
    try {
      for (int t = 1; t < request_.threads; t++) others.emplace_back([this] { work(); });
    } catch (...) {
      fail(std::current_exception());
    }
    work();
    for (std::thread& thread : others) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    report_.aborted = stop_;
    return report_;
  }

 private:
  void work() {
    try {
      for (;;) {
        const size_t index = next_.fetch_add(1);
        if (index + 1 >= tiles_.size() || stop_) return;
        Tile tile(request_, tiles_[index], tiles_[index + 1]);
        if (!tile.run(stop_)) {
          stop_ = true;
          return;
        }
        tile.write();
        if (request_.control) request_.control[1].fetch_add(static_cast<int32_t>(tiles_[index + 1] - tiles_[index]));
        const std::lock_guard<std::mutex> lock(mutex_);
        tile.report(report_);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_) failure_ = failure;
    stop_ = true;
  }

  const SearchRequest& request_;
  const std::vector<int64_t> tiles_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  SearchReport report_;
};

}  // namespace

SearchReport search(const SearchRequest& request) {
  if (request.queries == 0) return {};
  return Run(request).run();
}

}  // namespace kindred
