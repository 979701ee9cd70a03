// The sequence network for processors without special instructions.
#include "network-kernels.h"

namespace kindred {
namespace {

#define TILE_ROWS 4

void tile(int rows, const int16_t* x, int stride, const int16_t* panel, int pairs, int32_t* sums) {
  for (int row = 0; row < rows; row++, x += stride, sums += PANEL) {
    const int16_t* weights = panel;
    for (int pair = 0; pair < pairs; pair++, weights += 2 * PANEL) {
      const int32_t first = x[2 * pair], second = x[2 * pair + 1];
      for (int i = 0; i < PANEL; i++) sums[i] += first * weights[2 * i] + second * weights[2 * i + 1];
    }
  }
}

#include "network-body.h"

}  // namespace

const NetworkKernels network_plain = {"plain", network_pack, network_work, network_vector, network_probabilities};

}  // namespace kindred
