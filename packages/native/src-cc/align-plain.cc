#include <cstddef>

#include "align-native.h"

namespace kindred {
namespace {
#include "align-scalar.h"
}  // namespace

const AlignKernel align_plain = {"plain", 1, 1, 1, work_bytes_32, align_32};

}  // namespace kindred
