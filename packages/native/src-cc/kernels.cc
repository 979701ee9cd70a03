#include "kernels.h"

#include <algorithm>
#include <stdexcept>

#ifdef KINDRED_X86
#include <cpuid.h>
#endif

namespace kindred {
namespace {

#ifdef KINDRED_X86
/// AVX-VNNI is bit 4 of EAX in leaf 7, subleaf 1. The system must save the wide registers, too, which AVX2's check covers.
bool has_avxvnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1u) != 0;
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
}
#endif

void demand(const std::string& instructions) {
  const std::vector<std::string> all = available_instructions();
  if (std::find(all.begin(), all.end(), instructions) == all.end()) {
    throw std::range_error("this processor does not run " + instructions + " instructions");
  }
}

}  // namespace

std::vector<std::string> available_instructions() {
  std::vector<std::string> all;
#ifdef KINDRED_X86
  __builtin_cpu_init();
  if (has_avx512()) all.push_back("avx512");
  if (has_avxvnni() && __builtin_cpu_supports("fma")) all.push_back("avxvnni");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back("avx2");
#endif
  all.push_back("plain");
  return all;
}

const KnnKernels& knn_kernels(const std::string& instructions) {
  demand(instructions);
#ifdef KINDRED_X86
  if (instructions == "avx512") return knn_avx512;
  if (instructions == "avxvnni") return knn_avxvnni;
  if (instructions == "avx2") return knn_avx2;
#endif
  return knn_plain;
}

const AlignKernel& align_kernel(const std::string& instructions) {
  demand(instructions);
#ifdef KINDRED_X86
  if (instructions == "avx512") return align_avx512;
  if (instructions != "plain") return align_avx2;
#endif
  return align_plain;
}

const HomologyKernels& homology_kernels(const std::string& instructions) {
  demand(instructions);
#ifdef KINDRED_X86
  if (instructions == "avx512") return homology_avx512;
  if (instructions != "plain") return homology_avx2;
#endif
  return homology_plain;
}

const NetworkKernels& network_kernels(const std::string& instructions) {
  demand(instructions);
#ifdef KINDRED_X86
  if (instructions == "avx512") return network_avx512;
  if (instructions == "avxvnni") return network_avxvnni;
  if (instructions == "avx2") return network_avx2;
#endif
  return network_plain;
}

}  // namespace kindred
