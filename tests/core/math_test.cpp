// core/math.hpp: errors against long double, special values, and equal bits for every
// lane count and instruction set.
#include "drover/core/math.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "drover/core/cpu.hpp"
#include "math_kernel.hpp"

namespace drover {
namespace isa_v3 {
void math_outputs(int lanes, const double* x, std::int64_t count, double* out);
}
namespace isa_v4 {
void math_outputs(int lanes, const double* x, std::int64_t count, double* out);
}

namespace {

constexpr double inf = math_constants::infinity;
constexpr double nan_value = math_constants::quiet_nan;

// |got - want| in units of the last place of `want` as a double.
double error_in_ulp(double got, long double want) {
  const double w = std::fabs(double(want));
  const double ulp = std::nextafter(w, inf) - w;
  return double(std::fabs((long double)(got)-want) / ulp);
}

enum class Spread { linear, logarithmic };

struct Accuracy {
  const char* what;
  double low, high;
  Spread spread;
  double bound;  // ulp
  double (*function)(double);
  long double (*reference)(long double);
};

double sine(double x) {
  double s, c;
  sincos(x, s, c);
  return s;
}
double cosine(double x) {
  double s, c;
  sincos(x, s, c);
  return c;
}
double sine_turns(double x) {
  double s, c;
  sincos_2pi(x, s, c);
  return s;
}
double cosine_turns(double x) {
  double s, c;
  sincos_2pi(x, s, c);
  return c;
}
// Whole turns and quarter turns are taken off before pi enters, so this is exact enough.
long double sine_turns_reference(long double x) {
  const long double r = x - std::nearbyint(2 * x) / 2;
  const bool odd = std::fmod(std::nearbyint(2 * x), 2.0L) != 0;
  const long double s = std::sin(r * 6.283185307179586476925286766559L);
  return odd ? -s : s;
}

const Accuracy accuracies[] = {
    {"exp", -708, 709.7, Spread::linear, 1.1, [](double x) { return exp(x); },
     [](long double x) { return std::exp(x); }},
    {"exp near 0", -2, 2, Spread::linear, 1.1, [](double x) { return exp(x); },
     [](long double x) { return std::exp(x); }},
    {"exp_negative", -700, 0, Spread::linear, 1.1,
     [](double x) { return exp_negative(x); }, [](long double x) { return std::exp(x); }},
    {"exp_negative near 0", -3, 0, Spread::linear, 1.1,
     [](double x) { return exp_negative(x); }, [](long double x) { return std::exp(x); }},
    {"expm1", -60, 709.7, Spread::linear, 1.6, [](double x) { return expm1(x); },
     [](long double x) { return std::expm1(x); }},
    {"expm1 near 0", -2, 2, Spread::linear, 1.6, [](double x) { return expm1(x); },
     [](long double x) { return std::expm1(x); }},
    {"expm1 tiny", 1e-300, 1, Spread::logarithmic, 1.6, [](double x) { return expm1(x); },
     [](long double x) { return std::expm1(x); }},
    {"log", 1e-320, 1.7e308, Spread::logarithmic, 0.9, [](double x) { return log(x); },
     [](long double x) { return std::log(x); }},
    {"log near 1", 0.5, 2, Spread::linear, 0.9, [](double x) { return log(x); },
     [](long double x) { return std::log(x); }},
    {"log1p", -0.9999, 4, Spread::linear, 0.9, [](double x) { return log1p(x); },
     [](long double x) { return std::log1p(x); }},
    {"log1p tiny to huge", 1e-300, 1e308, Spread::logarithmic, 0.9,
     [](double x) { return log1p(x); }, [](long double x) { return std::log1p(x); }},
    {"log1p negative", 1e-20, 0.999999999, Spread::logarithmic, 0.9,
     [](double x) { return log1p(-x); }, [](long double x) { return std::log1p(-x); }},
    {"sin", -1e6, 1e6, Spread::linear, 1.5, sine,
     [](long double x) { return std::sin(x); }},
    {"sin near 0", -7, 7, Spread::linear, 1.5, sine,
     [](long double x) { return std::sin(x); }},
    {"cos", -1e6, 1e6, Spread::linear, 1.5, cosine,
     [](long double x) { return std::cos(x); }},
    {"cos near 0", -7, 7, Spread::linear, 1.5, cosine,
     [](long double x) { return std::cos(x); }},
    {"sin 2 pi", -2, 2, Spread::linear, 1.8, sine_turns, sine_turns_reference},
    {"cos 2 pi", 0.001, 2, Spread::linear, 1.8, cosine_turns,
     [](long double x) { return sine_turns_reference(x + 0.25L); }},
    {"tanh", -21, 21, Spread::linear, 2.8, [](double x) { return tanh(x); },
     [](long double x) { return std::tanh(x); }},
    {"tanh small", 1e-20, 1, Spread::logarithmic, 2.8, [](double x) { return tanh(x); },
     [](long double x) { return std::tanh(x); }},
    {"logistic", -700, 700, Spread::linear, 2.4, [](double x) { return logistic(x); },
     [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {"logistic near 0", -5, 5, Spread::linear, 2.4, [](double x) { return logistic(x); },
     [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {"softplus", -700, 700, Spread::linear, 1.6, [](double x) { return softplus(x); },
     [](long double x) { return softplus(x); }},
    {"softplus near 0", -5, 5, Spread::linear, 1.6, [](double x) { return softplus(x); },
     [](long double x) { return softplus(x); }},
};

TEST(Math, errors_against_long_double_stay_within_the_stated_ulp) {
  std::mt19937_64 generator(5);
  for (const Accuracy& a : accuracies) {
    double worst = 0.0, at = 0.0;
    const double log_low = a.spread == Spread::linear ? 0.0 : std::log(a.low);
    const double log_high = a.spread == Spread::linear ? 0.0 : std::log(a.high);
    for (int i = 0; i < 60000; ++i) {
      const double u = double(generator() >> 11) * 0x1p-53;
      const double x = a.spread == Spread::linear
                           ? a.low + u * (a.high - a.low)
                           : std::exp(log_low + u * (log_high - log_low));
      const double e = error_in_ulp(a.function(x), a.reference((long double)(x)));
      if (!(e <= worst)) worst = e, at = x;
    }
    EXPECT_LE(worst, a.bound) << a.what << " at " << at;
    EXPECT_GE(worst, 0.4) << a.what << ": the reference is suspiciously close";
  }
}

TEST(Math, exp_keeps_its_limits) {
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
  EXPECT_EQ(exp(inf), inf);
  EXPECT_EQ(exp(-inf), 0.0);
  EXPECT_EQ(exp(709.7827128933845), inf);
  EXPECT_LT(exp(709.782712893384), inf);
  EXPECT_EQ(exp(-708.4), 0.0);
  EXPECT_GE(exp(-708.3964185322641), 0x1p-1022);
  EXPECT_EQ(exp(-1e300), 0.0);
  EXPECT_TRUE(std::isnan(exp(nan_value)));
  EXPECT_TRUE(std::isnan(exp(-std::nan("0x7ff"))));
  EXPECT_EQ(exp_negative(0.0), 1.0);
  EXPECT_EQ(exp_negative(-701.0), exp_negative(-700.0));
  EXPECT_EQ(exp_negative(-inf), exp_negative(-700.0));
  EXPECT_EQ(exp_negative(-699.0), exp(-699.0));
  EXPECT_TRUE(std::isnan(exp_negative(nan_value)));
  EXPECT_EQ(expm1(-inf), -1.0);
  EXPECT_EQ(expm1(-1e4), -1.0);
  EXPECT_EQ(expm1(inf), inf);
  EXPECT_EQ(expm1(710.0), inf);
  EXPECT_LT(expm1(709.78), inf);
  EXPECT_TRUE(std::signbit(expm1(-0.0)));
  EXPECT_EQ(expm1(5e-324), 5e-324);
  EXPECT_TRUE(std::isnan(expm1(nan_value)));
}

TEST(Math, log_keeps_its_limits) {
  EXPECT_EQ(log(1.0), 0.0);
  EXPECT_EQ(log(0.0), -inf);
  EXPECT_EQ(log(-0.0), -inf);
  EXPECT_EQ(log(inf), inf);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_TRUE(std::isnan(log(-5e-324)));
  EXPECT_TRUE(std::isnan(log(-inf)));
  EXPECT_TRUE(std::isnan(log(nan_value)));
  EXPECT_NEAR(log(5e-324), -1074 * 0x1.62e42fefa39efp-1, 2e-13);
  EXPECT_EQ(log1p(-1.0), -inf);
  EXPECT_TRUE(std::isnan(log1p(-1.5)));
  EXPECT_TRUE(std::isnan(log1p(nan_value)));
  EXPECT_EQ(log1p(inf), inf);
  EXPECT_EQ(log1p(5e-324), 5e-324);
  EXPECT_TRUE(std::signbit(log1p(-0.0)));
}

TEST(Math, sine_and_cosine_keep_their_limits) {
  double s, c;
  sincos(0.0, s, c);
  EXPECT_EQ(s, 0.0);
  EXPECT_EQ(c, 1.0);
  sincos(1e-300, s, c);
  EXPECT_EQ(s, 1e-300);
  for (double x : {0x1.1p30, inf, -inf, nan_value}) {
    sincos(x, s, c);
    EXPECT_TRUE(std::isnan(s) && std::isnan(c)) << x;
  }
  for (int quarter = -9; quarter <= 9; ++quarter) {
    sincos_2pi(0.25 * quarter, s, c);
    const int q = ((quarter % 4) + 4) % 4;
    EXPECT_EQ(s, q == 1 ? 1.0 : q == 3 ? -1.0 : 0.0) << quarter;
    EXPECT_EQ(c, q == 0 ? 1.0 : q == 2 ? -1.0 : 0.0) << quarter;
  }
}

TEST(Math, sine_is_accurate_next_to_multiples_of_pi) {
  // Doubles nearest to k pi/2, where the argument reduction cancels most.
  double s, c;
  for (int k = 1; k < 60000; k += 7) {
    const double x = double(k) * 0x1.921fb54442d18p+0;
    sincos(x, s, c);
    const long double exact = (long double)(x);
    const long double want = k % 2 ? std::cos(exact) : std::sin(exact);
    EXPECT_LE(error_in_ulp(k % 2 ? c : s, want), 1.5) << k;
  }
}

TEST(Math, hyperbolic_and_logistic_functions_keep_their_limits) {
  EXPECT_EQ(tanh(25.0), 1.0);
  EXPECT_EQ(tanh(-inf), -1.0);
  EXPECT_TRUE(std::signbit(tanh(-0.0)));
  EXPECT_EQ(tanh(1e-200), 1e-200);
  EXPECT_TRUE(std::isnan(tanh(nan_value)));
  EXPECT_EQ(logistic(0.0), 0.5);
  EXPECT_EQ(logistic(-inf), 0.0);
  EXPECT_EQ(logistic(inf), 1.0);
  EXPECT_TRUE(std::isnan(logistic(nan_value)));
  EXPECT_EQ(softplus(-inf), 0.0);
  EXPECT_EQ(softplus(inf), inf);
  EXPECT_EQ(softplus(800.0), 800.0);
  EXPECT_TRUE(std::isnan(softplus(nan_value)));
}

std::vector<double> arguments_of_all_kinds() {
  std::vector<double> x = {0.0,       -0.0,  inf,    -inf,   nan_value, 5e-324, -5e-324,
                           0x1p-1022, 1e308, -1e308, 709.79, -708.4,    -745.2, 0.5,
                           1.0,       -1.0,  20.0,   0x1p30, 0x1.8p31,  -0.25};
  std::mt19937_64 generator(6);
  while (x.size() < 8192) {
    const double u = 2.0 * double(generator() >> 11) * 0x1p-53 - 1.0;
    const double scale[] = {1.0, 10.0, 700.0, 1e5, 1e-5, 1e-300, 1e200};
    x.push_back(u * scale[x.size() % 7]);
  }
  return x;
}

using MathOutputs = void (*)(int, const double*, std::int64_t, double*);

std::vector<double> outputs(MathOutputs f, int lanes, const std::vector<double>& x) {
  std::vector<double> out(x.size() * math_functions);
  f(lanes, x.data(), std::int64_t(x.size()), out.data());
  return out;
}

void expect_equal_bits(const std::vector<double>& x, const std::vector<double>& a,
                       const std::vector<double>& b, const std::string& which) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    // The sign and payload of a NaN are the one thing that IEEE leaves open.
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    ASSERT_EQ(to_bits(a[i]), to_bits(b[i]))
        << which << ": " << math_function_names[i / x.size()] << " of " << x[i % x.size()]
        << " gives " << a[i] << " and " << b[i];
  }
}

TEST(Math, bits_do_not_depend_on_lanes_or_instruction_set) {
  const std::vector<double> x = arguments_of_all_kinds();
  const std::vector<double> reference = outputs(&math_outputs, 1, x);
  for (int lanes : {2, 4, 8})
    expect_equal_bits(x, reference, outputs(&math_outputs, lanes, x),
                      "base, lanes " + std::to_string(lanes));
  if (!cpu_support().v3) GTEST_SKIP() << "this CPU has no AVX2";
  for (int lanes : {1, 2, 4, 8})
    expect_equal_bits(x, reference, outputs(&isa_v3::math_outputs, lanes, x),
                      "v3, lanes " + std::to_string(lanes));
  if (!cpu_support().v4) GTEST_SKIP() << "this CPU has no AVX-512";
  for (int lanes : {1, 2, 4, 8})
    expect_equal_bits(x, reference, outputs(&isa_v4::math_outputs, lanes, x),
                      "v4, lanes " + std::to_string(lanes));
}

}  // namespace
}  // namespace drover
