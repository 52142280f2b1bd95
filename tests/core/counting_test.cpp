// core/counting.hpp: Counting computes like a double and counts what it did.
#include "drover/core/counting.hpp"

#include <gtest/gtest.h>

#include "drover/core/random.hpp"

namespace drover {
namespace {

static_assert(lanes_v<Counting> == 1);
static_assert(std::is_same_v<mask_t<Counting>, bool>);

// A little of everything, as a kernel would be written.
template <class R>
R kernel(R x, R y) {
  const R r = sqrt(x * x + y * y);
  R sum = fma(x, R(0.5), y) / r;
  sum += select(x < y, max(x, R(0.0)), min(y, R(2.0))) - abs(-x);
  return fnma(x, y, sum) * 3.0;
}

TEST(Counting, operations_are_counted_by_kind) {
  Counting out = 0.0;
  const OperationCounts n =
      count_operations([&] { out = kernel(Counting(1.5), Counting(-2.0)); });
  EXPECT_EQ(n.add, 4);       // x^2 + y^2, +=, -, negation
  EXPECT_EQ(n.multiply, 3);  // two squares, times 3
  EXPECT_EQ(n.fma, 2);
  EXPECT_EQ(n.divide, 1);
  EXPECT_EQ(n.square_root, 1);
  EXPECT_EQ(n.compare, 5);  // <, select, max, min, abs
  EXPECT_EQ(n.flops(), 4 + 3 + 4 + 1 + 1 + 5);
  EXPECT_EQ(out.v, kernel(1.5, -2.0));
}

TEST(Counting, calls_of_math_functions_are_counted_with_what_they_do) {
  const Counting x = -0.75;
  OperationCounts n = count_operations([&] { (void)exp_negative(x); });
  EXPECT_EQ(n.exp, 1);
  EXPECT_EQ(n.fma, 13);  // reduction 3, polynomial 9, last step 1
  EXPECT_EQ(n.compare, 1);
  EXPECT_LE(n.flops(), 32);
  n = count_operations([&] { (void)log(Counting(3.0)); });
  EXPECT_EQ(n.log, 1);
  EXPECT_EQ(n.divide, 1);
  Counting s, c;
  n = count_operations([&] { sincos(x, s, c); });
  EXPECT_EQ(n.sincos, 1);
  n = count_operations([&] { (void)softplus(x); });
  EXPECT_EQ(n.exp, 1);
  EXPECT_EQ(n.log, 1);
}

TEST(Counting, values_equal_those_of_double) {
  for (double x : {-3.0, -0.1, 0.0, 0.7, 12.0}) {
    const Counting c = x;
    EXPECT_EQ(exp(c).v, exp(x));
    EXPECT_EQ(exp_negative(-abs(c)).v, exp_negative(-abs(x)));
    EXPECT_EQ(expm1(c).v, expm1(x));
    EXPECT_EQ(log1p(abs(c)).v, log1p(abs(x)));
    EXPECT_EQ(tanh(c).v, tanh(x));
    EXPECT_EQ(logistic(c).v, logistic(x));
    EXPECT_EQ(softplus(c).v, softplus(x));
    EXPECT_EQ(copysign(Counting(2.0), c).v, copysign(2.0, x));
    double out = 0.0;
    store(&out, load<Counting>(&x));
    EXPECT_EQ(out, x);
  }
  const auto a = draw_move<Counting>(3, 4, 5, Purpose::move, 6);
  const auto b = draw_move<double>(3, 4, 5, Purpose::move, 6);
  EXPECT_EQ(a.x.v, b.x);
  EXPECT_EQ(a.y.v, b.y);
  EXPECT_EQ(a.z.v, b.z);
  EXPECT_EQ(a.uniform.v, b.uniform);
}

}  // namespace
}  // namespace drover
