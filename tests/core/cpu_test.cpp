// core/cpu.hpp: which kernels are chosen, and what a wrong wish says.
#include "drover/core/cpu.hpp"

#include <gtest/gtest.h>

#include <string>

#include "drover/core/error.hpp"

namespace drover {
namespace {

std::string message_of(CpuSupport support, const char* forced) {
  try {
    choose_instruction_set(support, forced);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return e.what();
  }
  return "";
}

TEST(Cpu, the_best_supported_instruction_set_is_chosen) {
  EXPECT_EQ(choose_instruction_set({true, true}, nullptr), InstructionSet::v4);
  EXPECT_EQ(choose_instruction_set({true, false}, nullptr), InstructionSet::v3);
  EXPECT_EQ(choose_instruction_set({true, true}, ""), InstructionSet::v4);
}

TEST(Cpu, the_environment_can_force_a_supported_one) {
  EXPECT_EQ(choose_instruction_set({true, true}, "v3"), InstructionSet::v3);
  EXPECT_EQ(choose_instruction_set({true, true}, "v4"), InstructionSet::v4);
}

TEST(Cpu, an_unsupported_or_unknown_one_is_refused_with_what_to_do) {
  EXPECT_NE(message_of({true, false}, "v4").find("AVX-512"), std::string::npos);
  EXPECT_NE(message_of({true, true}, "avx2").find("expected v3 or v4, found \"avx2\""),
            std::string::npos);
  EXPECT_NE(message_of({false, false}, nullptr).find("x86-64-v3"), std::string::npos);
  EXPECT_NE(message_of({false, false}, "v3").find("x86-64-v3"), std::string::npos);
}

TEST(Cpu, lanes_follow_the_instruction_set_unless_forced) {
  EXPECT_EQ(choose_lanes(InstructionSet::v3, nullptr), 4);
  EXPECT_EQ(choose_lanes(InstructionSet::v4, nullptr), 8);
  EXPECT_EQ(choose_lanes(InstructionSet::v3, "2"), 2);
  EXPECT_EQ(choose_lanes(InstructionSet::v4, "4"), 4);
  for (const char* wrong : {"8", "3", "four", "4 "})
    EXPECT_THROW(choose_lanes(InstructionSet::v3, wrong), Error) << wrong;
  for (const char* wrong : {"2", "16", "-8"})
    EXPECT_THROW(choose_lanes(InstructionSet::v4, wrong), Error) << wrong;
}

}  // namespace
}  // namespace drover
