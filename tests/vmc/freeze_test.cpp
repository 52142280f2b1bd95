// Patterns of parameter names.
#include "drover/vmc/freeze.hpp"

#include <gtest/gtest.h>

#include "drover/core/error.hpp"

namespace drover {
namespace {

TEST(Freeze, PatternsKnowStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_pattern("a.b", "a.b"));
  EXPECT_FALSE(matches_pattern("a.b", "a.bc"));
  EXPECT_FALSE(matches_pattern("a.bc", "a.b"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*c", "abcbc"));
  EXPECT_FALSE(matches_pattern("a*c", "abcb"));
  EXPECT_TRUE(matches_pattern("*b?d*", "aabxbcde"));
  EXPECT_FALSE(matches_pattern("?", ""));
  EXPECT_TRUE(matches_pattern("p4(0).*", "p4(0).O"));  // no other sign is special
}

TEST(Freeze, MarksWhatAnyPatternMatches) {
  const std::vector<std::string> names = {"cusp.rc.O", "een.b.O", "een.b.H", "een.c.O"};
  EXPECT_EQ(frozen_parameters(std::vector<std::string>{"een.b*", "cusp.*"}, names),
            (std::vector<std::uint8_t>{1, 1, 1, 0}));
  EXPECT_EQ(frozen_parameters({}, names), (std::vector<std::uint8_t>{0, 0, 0, 0}));
}

std::string error_of(const std::string& pattern, const std::vector<std::string>& names) {
  try {
    frozen_parameters(std::vector<std::string>{pattern}, names);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_EQ(e.where().key, "optimise.freeze");
    return e.what();
  }
  return "";
}

TEST(Freeze, NamesTheNearestWhereAPatternMatchesNothing) {
  EXPECT_EQ(error_of("een.d*", {"cusp.rc.O", "een.b.O"}),
            "optimise.freeze: \"een.d*\" matches none of the 2 parameters; the nearest "
            "is \"een.b.O\"");
  EXPECT_EQ(error_of("x", {}),
            "optimise.freeze: \"x\" matches none of the 0 parameters; this wave function "
            "has none to freeze");
}

}  // namespace
}  // namespace drover
