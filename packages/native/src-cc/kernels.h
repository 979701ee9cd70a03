// The choice of the kernels that this processor runs.
#pragma once
#include <string>
#include <vector>

#include "align-native.h"
#include "homology-kernels.h"
#include "knn-kernels.h"
#include "network-kernels.h"

namespace kindred {

/// Returns the names of the instruction sets that can run here, best first; "plain" is always the last.
std::vector<std::string> available_instructions();

/// @throws std::range_error for an instruction set that does not run here
const KnnKernels& knn_kernels(const std::string& instructions);
const AlignKernel& align_kernel(const std::string& instructions);
const HomologyKernels& homology_kernels(const std::string& instructions);
const NetworkKernels& network_kernels(const std::string& instructions);

}  // namespace kindred
