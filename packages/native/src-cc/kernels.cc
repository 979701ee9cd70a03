#include "kernels.h"

#include <algorithm>
#include <stdexcept>

#ifdef KINDRED_X86
#include <cpuid.h>
#endif

namespace kindred {
namespace {

#ifdef KINDRED_X86
/// What processor and system support together. The compilers' own question (`__builtin_cpu_supports`) is not asked, because the runtime
/// library of zig answers no to all of it.
struct processor_t {
  bool avx2 = false, avxvnni = false, avx512 = false;

  processor_t() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    const auto has = [](unsigned word, int bit) { return (word >> bit & 1u) != 0; };
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has(c, 27)) return;  // OSXSAVE
    const bool has_fma = has(c, 12);
    // The system must save the wide registers: bits 1 and 2 of XCR0 for AVX, and 5 to 7 for AVX-512.
    unsigned saved = 0, high = 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 0x6u) != 0x6u || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    avx2 = has_fma && has(b, 5);
    // F, DQ, BW, VL; VNNI
    avx512 = avx2 && (saved & 0xe0u) == 0xe0u && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31) && has(c, 11);
    avxvnni = avx2 && a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && has(a, 4);
  }
};
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
  static const processor_t processor;
  if (processor.avx512) all.push_back("avx512");
  if (processor.avxvnni) all.push_back("avxvnni");
  if (processor.avx2) all.push_back("avx2");
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
