#include "drover/core/cpu.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "drover/core/error.hpp"

namespace drover {
namespace {

std::string_view text_of(const char* forced) {
  return forced == nullptr ? std::string_view() : std::string_view(forced);
}

}  // namespace

const char* name(InstructionSet set) {
  return set == InstructionSet::v3 ? "v3" : "v4";
}

CpuSupport cpu_support() {
  CpuSupport support;
#if defined(__x86_64__)
  __builtin_cpu_init();
  support.v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  support.v4 = support.v3 && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return support;
}

InstructionSet choose_instruction_set(CpuSupport support, const char* forced) {
  const std::string_view wish = text_of(forced);
  if (!support.v3)
    throw Error(
        ErrorKind::input,
        "[cpu] this CPU is too old for Drover's kernels: expected x86-64-v3 (AVX2, "
        "FMA, BMI2; Intel since Haswell, AMD since Zen), found an older one; run "
        "on a newer machine");
  if (wish.empty()) return support.v4 ? InstructionSet::v4 : InstructionSet::v3;
  if (wish == "v3") return InstructionSet::v3;
  if (wish != "v4")
    throw Error(ErrorKind::input,
                "[cpu] environment variable DROVER_ISA: expected v3 or v4, found \"" +
                    std::string(wish) +
                    "\"; unset it to use the best that this CPU supports",
                {.key = "DROVER_ISA"});
  if (!support.v4)
    throw Error(ErrorKind::input,
                "[cpu] environment variable DROVER_ISA asks for v4, but this CPU has no "
                "AVX-512 (F, BW, CD, DQ, VL); unset it or set it to v3",
                {.key = "DROVER_ISA"});
  return InstructionSet::v4;
}

int choose_lanes(InstructionSet set, const char* forced) {
  const std::string_view wish = text_of(forced);
  const bool v3 = set == InstructionSet::v3;
  if (wish.empty()) return v3 ? 4 : 8;
  if (wish == "4") return 4;
  if (v3 && wish == "2") return 2;
  if (!v3 && wish == "8") return 8;
  throw Error(ErrorKind::input,
              "[cpu] environment variable DROVER_LANES: expected " +
                  std::string(v3 ? "2 or 4" : "4 or 8") + " with instruction set " +
                  name(set) + ", found \"" + std::string(wish) +
                  "\"; unset it to use the default",
              {.key = "DROVER_LANES"});
}

InstructionSet instruction_set() {
  static const InstructionSet chosen =
      choose_instruction_set(cpu_support(), std::getenv("DROVER_ISA"));
  return chosen;
}

int lanes() {
  static const int chosen = choose_lanes(instruction_set(), std::getenv("DROVER_LANES"));
  return chosen;
}

}  // namespace drover
