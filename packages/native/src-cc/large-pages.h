// Memory in pages of 2 MiB where the system has them.
#pragma once
#include <cstdint>

namespace kindred {

/// Asks the system to hold memory in large pages: reads at random places then wait less for the page table. It counts for
/// pages that nobody has written to yet, so ask right after the allocation. What does not fill a large page stays as it is, and
/// so does everything where the system declines. The content does not change.
/// @returns the bytes that it was asked for, 0 where the system has no such call
int64_t prefer_large_pages(const void* data, int64_t bytes);

}  // namespace kindred
