// The forward types Laplacian, Dual and Jet against finite differences in long double and
// against exact identities, on double and on packs of 2 and 4 lanes.
//
// Tolerance of the differences: nine-point stencils of step 0.01 err by 0.01^8 times a
// derivative of order ten (up to 1e6 here) and by 1e-19/0.01^2, so 1e-10 relative is
// safe.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "drover/ad/dual.hpp"
#include "drover/ad/jet.hpp"
#include "drover/ad/laplacian.hpp"

namespace drover {
namespace {

constexpr double tolerance = 1e-10;

// First and second derivative of g at 0 by nine-point central differences.
template <class G>
std::array<long double, 2> differences(const G& g) {
  const long double h = 0.01L;
  const long double first[4] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  const long double second[4] = {8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
  const long double centre = g(0.0L);
  long double d1 = 0, d2 = -205.0L / 72 * centre;
  for (int k = 1; k <= 4; ++k) {
    const long double up = g(static_cast<long double>(k) * h);
    const long double down = g(-static_cast<long double>(k) * h);
    d1 += first[k - 1] * (up - down);
    d2 += second[k - 1] * (up + down);
  }
  return {d1 / h, d2 / (h * h)};
}

// A function of four coordinates that uses every operation there is.
struct Everything {
  template <class T>
  T operator()(const std::array<T, 4>& x) const {
    T s, c;
    sincos(x[0] * x[3] + 0.25, s, c);
    T r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + 0.5);
    T y = exp(-0.7 * r) * tanh(x[1] - 0.3 * x[2]) + log(r + 1.5) / (2.0 + x[3] * x[3]);
    y += s * softplus(x[2]) - c / (3.0 - x[1]) + logistic(x[0]) * log1p(x[3] * x[3]);
    y -= expm1(0.1 * x[0]) * pow(x[1], 3) + pow(r, -2);
    y *= select(x[0] > x[3], x[1] + 2.0, fma(x[2], x[2], T(1.0)));
    y = y + abs(x[2] - 5.0) * min(x[0] + 9.0, x[1]) - max(x[3], x[3] - 4.0) / 3.0;
    return y / r;
  }
};

const std::array<std::array<double, 4>, 4> points = {{{0.3, -0.7, 1.1, 0.2},
                                                      {-0.4, 0.9, 0.35, -1.2},
                                                      {1.3, 0.1, -0.6, 0.8},
                                                      {0.05, -1.4, 0.75, 1.6}}};

template <class F>
long double at(const F& f, const std::array<double, 4>& x, int moved, long double t) {
  std::array<long double, 4> y;
  for (int i = 0; i < 4; ++i) {
    y[static_cast<unsigned>(i)] = x[static_cast<unsigned>(i)];
  }
  y[static_cast<unsigned>(moved)] += t;
  return f(y);
}

TEST(Laplacian, equals_finite_differences_of_a_function_of_everything) {
  const Everything f;
  for (const auto& x : points) {
    const auto y = f(coordinates<4>(x));
    long double laplacian = 0;
    for (int i = 0; i < 4; ++i) {
      const auto d = differences([&](long double t) { return at(f, x, i, t); });
      EXPECT_NEAR(y.gradient[static_cast<unsigned>(i)], static_cast<double>(d[0]),
                  tolerance);
      laplacian += d[1];
    }
    EXPECT_NEAR(y.value, static_cast<double>(at(f, x, 0, 0.0L)), 1e-13);
    EXPECT_NEAR(y.laplacian, static_cast<double>(laplacian),
                tolerance * (1.0 + std::fabs(static_cast<double>(laplacian))));
  }
}

template <int W>
void expect_lanes_equal_double() {
  using R = Pack<W>;
  std::array<R, 4> x;
  for (unsigned i = 0; i < 4; ++i) {
    for (int lane = 0; lane < W; ++lane) x[i].set(lane, points[unsigned(lane) % 4][i]);
  }
  const auto packed = Everything{}(coordinates<4>(x));
  for (int lane = 0; lane < W; ++lane) {
    const auto single = Everything{}(coordinates<4>(points[unsigned(lane) % 4]));
    EXPECT_EQ(packed.value[lane], single.value);
    EXPECT_EQ(packed.laplacian[lane], single.laplacian);
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(packed.gradient[i][lane], single.gradient[i]);
    }
  }
}

TEST(Laplacian, has_the_same_bits_in_every_lane_of_a_pack) {
  expect_lanes_equal_double<2>();
  expect_lanes_equal_double<4>();
  expect_lanes_equal_double<8>();
}

TEST(Laplacian, knows_the_textbook_cases_exactly) {
  // Polynomials in small integers: every number is exact.
  const auto x = coordinates<3>(std::array<double, 3>{2.0, 3.0, -1.0});
  const auto p = x[0] * x[0] * x[1] + pow(x[2], 3) * 4.0;
  EXPECT_EQ(p.value, 8.0);
  EXPECT_EQ(p.gradient, (std::array<double, 3>{12.0, 4.0, 12.0}));
  EXPECT_EQ(p.laplacian, 2.0 * 3.0 + 24.0 * -1.0);
  // pow and repeated products, difference of equal things.
  const auto zero = pow(x[1], 2) - x[1] * x[1];
  EXPECT_EQ(zero.value, 0.0);
  EXPECT_EQ(zero.laplacian, 0.0);
  // 1/r is harmonic in three dimensions.
  const auto r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  EXPECT_NEAR((1.0 / r).laplacian, 0.0, 1e-16);
  EXPECT_NEAR(r.laplacian, 2.0 / r.value, 1e-15);
  EXPECT_NEAR(squared_gradient(r), 1.0, 1e-15);
}

TEST(Laplacian, gives_hydrogen_its_exact_local_energy_everywhere) {
  // psi = exp(-r): E_L = -1/2 (lap ln psi + |grad ln psi|^2) - 1/r = -1/2.
  for (const auto& p : points) {
    const auto x = coordinates<3>(std::array<double, 3>{p[0], p[1], p[2]});
    const auto r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const auto log_psi = -r;
    const double energy =
        -0.5 * (log_psi.laplacian + squared_gradient(log_psi)) - 1.0 / r.value;
    EXPECT_NEAR(energy, -0.5, 1e-14);
  }
}

TEST(Laplacian, integer_powers_at_zero_have_no_spurious_nan) {
  const auto x = coordinates<1>(std::array<double, 1>{0.0});
  const auto linear = pow(x[0], 1);
  EXPECT_EQ(linear.value, 0.0);
  EXPECT_EQ(linear.gradient[0], 1.0);
  EXPECT_EQ(linear.laplacian, 0.0);
  EXPECT_EQ(pow(x[0], 2).laplacian, 2.0);
  EXPECT_EQ(pow(x[0], 0).value, 1.0);
}

// ln psi of a helium-like atom with a parameter p: decays, cusp and an exponential.
struct HeliumLike {
  template <class T, class P>
  T operator()(const std::array<T, 6>& x, P p) const {
    const T r1 = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const T r2 = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
    const T a = x[0] - x[3], b = x[1] - x[4], c = x[2] - x[5];
    const T r12 = sqrt(a * a + b * b + c * c);
    return -(r1 + r2) * p + r12 / (2.0 * (1.0 + p * r12)) + exp(-(p * p) * r12);
  }
};
template <class R, int N>
R kinetic_energy(const Laplacian<R, N>& log_psi) {
  return R(-0.5) * (log_psi.laplacian + squared_gradient(log_psi));
}
const std::array<double, 6> helium = {0.4, -0.2, 0.7, -0.5, 0.3, 0.15};

TEST(Dual, composes_with_laplacian_both_ways_to_the_derivative_of_a_local_energy) {
  const double p = 1.7;
  const auto d = differences([&](long double t) {
    std::array<long double, 6> x;
    for (unsigned i = 0; i < 6; ++i) x[i] = helium[i];
    return kinetic_energy(HeliumLike{}(coordinates<6>(x), 1.7L + t));
  });
  // A local energy on dual numbers: Laplacian<Dual>.
  using D = Dual<double, 1>;
  std::array<D, 6> x;
  for (unsigned i = 0; i < 6; ++i) x[i] = D(helium[i]);
  const D inside = kinetic_energy(HeliumLike{}(coordinates<6>(x), D::variable(p, 0)));
  // The derivative of a whole triple: Dual<Laplacian>.
  using L = Laplacian<double, 6>;
  using DL = Dual<L, 1>;
  const auto plain = coordinates<6>(helium);
  std::array<DL, 6> y;
  for (unsigned i = 0; i < 6; ++i) y[i] = DL(plain[i]);
  const DL psi = HeliumLike{}(y, DL::variable(L(p), 0));
  double outside = psi.derivative[0].laplacian;
  for (unsigned i = 0; i < 6; ++i) {
    outside += 2.0 * psi.value.gradient[i] * psi.derivative[0].gradient[i];
  }
  outside *= -0.5;
  EXPECT_NEAR(inside.derivative[0], static_cast<double>(d[0]), 1e-9);
  // Two orders of the same arithmetic: a few rounding errors of numbers near 10.
  EXPECT_NEAR(outside, inside.derivative[0], 1e-13);
}

TEST(Dual, equals_finite_differences_in_every_direction) {
  const Everything f;
  for (const auto& x : points) {
    std::array<Dual<double, 4>, 4> v;
    for (int i = 0; i < 4; ++i) {
      v[unsigned(i)] = Dual<double, 4>::variable(x[unsigned(i)], i);
    }
    const auto y = f(v);
    for (int i = 0; i < 4; ++i) {
      const auto d = differences([&](long double t) { return at(f, x, i, t); });
      EXPECT_NEAR(y.derivative[unsigned(i)], static_cast<double>(d[0]), tolerance);
    }
  }
}

// A radial function with a parameter, of many functions.
struct Radial {
  template <class T, class P>
  T operator()(T r, P p) const {
    T s, c;
    sincos(p * r, s, c);
    return r / (2.0 * (1.0 + p * r)) * exp(-(p * r)) + tanh(r) * s / (r + 1.0) -
           pow(r, 3) * c * 0.1 + log(1.0 + r * r) + 1.0 / sqrt(r) + softplus(-r);
  }
};

TEST(Jet, equals_finite_differences_up_to_the_third_derivative) {
  for (const double r : {0.4, 1.3, 2.9}) {
    const double p = 0.6;
    const auto j = jet_at<3>(Radial{}, r, p);
    const auto d = differences(
        [&](long double t) { return Radial{}(static_cast<long double>(r) + t, 0.6L); });
    const auto third = differences([&](long double t) {
      return jet_at<2>(Radial{}, static_cast<long double>(r) + t, 0.6L).derivative[1];
    });
    EXPECT_NEAR(j.derivative[0], static_cast<double>(d[0]), 1e-9);
    EXPECT_NEAR(j.derivative[1], static_cast<double>(d[1]), 1e-8);  // 1/sqrt(r) at 0.4
    EXPECT_NEAR(j.derivative[2], static_cast<double>(third[0]), 1e-6);
  }
}

TEST(Jet, over_dual_numbers_gives_the_mixed_derivatives_in_a_parameter) {
  using D = Dual<double, 1>;
  const double r = 1.1, p = 0.6;
  const auto j = jet_at<2>(Radial{}, D(r), D::variable(p, 0));
  for (int k = 0; k <= 2; ++k) {
    const auto d = differences([&](long double t) {
      const auto f = jet_at<2>(Radial{}, static_cast<long double>(r), 0.6L + t);
      return k == 0 ? f.value : f.derivative[static_cast<unsigned>(k - 1)];
    });
    const double mixed =
        k == 0 ? j.value.derivative[0] : j.derivative[unsigned(k - 1)].derivative[0];
    EXPECT_NEAR(mixed, static_cast<double>(d[0]), tolerance);
  }
}

TEST(Jet, carried_to_coordinates_equals_the_forward_laplacian) {
  const double p = 0.8;
  const auto x = coordinates<3>(std::array<double, 3>{0.5, -0.3, 0.9});
  const auto r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const auto direct = Radial{}(r, p);
  const auto jet = jet_at<2>(Radial{}, r.value, p);
  const auto carried = compose(jet, r);
  EXPECT_NEAR(carried.laplacian, direct.laplacian, 1e-13);
  EXPECT_NEAR(radial_laplacian(jet, r.value), direct.laplacian, 1e-13);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_NEAR(carried.gradient[i], direct.gradient[i], 1e-14);
  }
}

TEST(Jet, has_the_same_bits_in_every_lane_of_a_pack) {
  using R = Pack<4>;
  R r;
  for (int lane = 0; lane < 4; ++lane) r.set(lane, 0.3 + lane);
  const auto packed = jet_at<3>(Radial{}, r, R(0.7));
  for (int lane = 0; lane < 4; ++lane) {
    const auto single = jet_at<3>(Radial{}, 0.3 + lane, 0.7);
    EXPECT_EQ(packed.value[lane], single.value);
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(packed.derivative[k][lane], single.derivative[k]);
    }
  }
}

}  // namespace
}  // namespace drover
