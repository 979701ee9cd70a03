#include "large-pages.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kindred {

int64_t prefer_large_pages(const void* data, int64_t bytes) {
#ifdef __linux__
  constexpr uintptr_t kPage = uintptr_t{1} << 21;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data), end = begin + static_cast<uintptr_t>(bytes);
  const uintptr_t first = (begin + kPage - 1) & ~(kPage - 1), last = end & ~(kPage - 1);
  if (last <= first) return 0;
  if (madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) != 0) return 0;
  return static_cast<int64_t>(last - first);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
  return 0;
#endif
}

}  // namespace kindred
