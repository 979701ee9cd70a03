// Memory in pages of 2 MiB where the system has them.
#pragma once
#include <cstdint>

namespace kindred {

/// Asks the system to hold memory in large pages, so that reads at random places wait less for the page table. The request counts for
/// pages that nobody has written to yet, so make it right after the allocation. A rest that does not fill a large page stays as it is, and
/// so does everything where the system declines. The content does not change.
/// @returns the bytes that the request covers; 0 if the system has no such call
int64_t prefer_large_pages(const void* data, int64_t bytes);

}  // namespace kindred
