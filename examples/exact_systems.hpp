// Systems with exact answers, written as a user of the library would: ln|psi| and a
// potential.
//
// Hartree atomic units. Exact values: docs/formulas.md.
#pragma once

#include <cmath>

#include "drover/wave/user_model.hpp"

namespace systems {

using drover::ParameterInfo;

// Walkers start normally distributed with this width about the origin.
inline void place_normally(std::uint64_t seed, std::int64_t walker, int coordinates,
                           double width, double* x) {
  for (int k = 0; k < coordinates; k += 2) {
    const auto z = drover::draw_normals<double>(
        seed, walker, 0, drover::Purpose::initial_positions, k / 2);
    x[k] = width * z.first;
    if (k + 1 < coordinates) x[k + 1] = width * z.second;
  }
}

template <class T>
T length(const T* x) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}
template <class T>
T distance(const T* a, const T* b) {
  const T d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return length(d);
}

// exp(-a r) in the field of a proton: E = a^2/2 - a, Var = a^2 (1 - a)^2.
struct Hydrogen {
  static constexpr int electrons = 1;
  double a = 1.0;
  std::vector<ParameterInfo> parameters() const { return {{"a", a, 0.1, 10.0}}; }
  template <class T>
  T log_psi(const T* x, const T* p) const {
    return -(p[0] * length(x));
  }
  template <class T>
  T potential(const T* x) const {
    return -1.0 / length(x);
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 3, 0.8, x);
  }
};

// exp(-c r^2) in the field of a proton: E = 3c/2 - 2 sqrt(2c/pi).
struct GaussianHydrogen {
  static constexpr int electrons = 1;
  double c = 8.0 / (9.0 * 3.14159265358979323846);
  std::vector<ParameterInfo> parameters() const { return {{"c", c, 0.01, 10.0}}; }
  template <class T>
  T log_psi(const T* x, const T* p) const {
    return -(p[0] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
  }
  template <class T>
  T potential(const T* x) const {
    return -1.0 / length(x);
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 3, 1.0, x);
  }
};

// exp(-a r^2/2) in a harmonic trap: E = (3/4)(a + 1/a), Var = 3 (1 - a^2)^2 / (8 a^2).
struct Oscillator {
  static constexpr int electrons = 1;
  double a = 1.0;
  std::vector<ParameterInfo> parameters() const { return {{"a", a, 0.1, 10.0}}; }
  template <class T>
  T log_psi(const T* x, const T* p) const {
    return p[0] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * -0.5;
  }
  template <class T>
  T potential(const T* x) const {
    return (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) * 0.5;
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 3, 0.7, x);
  }
};

// Four like fermions in a trap without interaction: the determinant of 1, x, y, z times
// the Gaussian. E = 3/2 + 3 * 5/2 = 9, zero variance.
struct Fermions {
  static constexpr int electrons = 4;
  std::vector<ParameterInfo> parameters() const { return {}; }
  template <class T>
  T log_psi(const T* x, const T*) const {
    T a[4][4];
    T r2(0.0);
    for (int i = 0; i < 4; ++i) {
      a[i][0] = T(1.0);
      for (int k = 0; k < 3; ++k) {
        a[i][k + 1] = x[3 * i + k];
        r2 = r2 + x[3 * i + k] * x[3 * i + k];
      }
    }
    return drover::log_abs_determinant(a) - r2 * 0.5;
  }
  template <class T>
  T potential(const T* x) const {
    T r2(0.0);
    for (int k = 0; k < 12; ++k) r2 = r2 + x[k] * x[k];
    return r2 * 0.5;
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 12, 1.0, x);
  }
};

// Two electrons in a trap of frequency w that repel each other (Taut 1993), zero
// variance:
//   w = 1/2   singlet exp(-(r1^2 + r2^2)/4) (1 + r12/2)                E = 2
//   w = 1/10  singlet exp(-(r1^2 + r2^2)/20) (1 + r12/2 + r12^2/20)    E = 1/2
//   w = 1/4   triplet (z1 - z2) exp(-(r1^2 + r2^2)/8) (1 + r12/4)      E = 5/4
struct Hooke {
  static constexpr int electrons = 2;
  double w = 0.5;
  double linear = 0.5, quadratic = 0.0;
  bool triplet = false;
  static Hooke half() { return {}; }
  static Hooke tenth() { return {0.1, 0.5, 0.05, false}; }
  static Hooke quarter() { return {0.25, 0.25, 0.0, true}; }

  std::vector<ParameterInfo> parameters() const { return {}; }
  template <class T>
  T log_psi(const T* x, const T*) const {
    T r2(0.0);
    for (int k = 0; k < 6; ++k) r2 = r2 + x[k] * x[k];
    const T r12 = distance(x, x + 3);
    T logs = log(r12 * linear + r12 * r12 * quadratic + 1.0) - r2 * (0.5 * w);
    if (triplet) logs = logs + log(abs(x[2] - x[5]));
    return logs;
  }
  template <class T>
  T potential(const T* x) const {
    T r2(0.0);
    for (int k = 0; k < 6; ++k) r2 = r2 + x[k] * x[k];
    return r2 * (0.5 * w * w) + 1.0 / distance(x, x + 3);
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 6, std::sqrt(0.5 / w), x);
  }
};

// Helium, exp(-z (r1 + r2)) exp(r12/2 / (1 + b r12)); without the second factor unless
// `jastrow`.
struct Helium {
  static constexpr int electrons = 2;
  double z = 2.0, b = 0.5;
  bool jastrow = true;
  std::vector<ParameterInfo> parameters() const {
    if (!jastrow) return {{"z", z, 0.5, 4.0}};
    return {{"z", z, 0.5, 4.0}, {"b", b, 0.01, 10.0}};
  }
  template <class T>
  T log_psi(const T* x, const T* p) const {
    const T slater = -(p[0] * (length(x) + length(x + 3)));
    if (!jastrow) return slater;
    const T r12 = distance(x, x + 3);
    return slater + r12 * 0.5 / (p[1] * r12 + 1.0);
  }
  template <class T>
  T potential(const T* x) const {
    return -2.0 / length(x) - 2.0 / length(x + 3) + 1.0 / distance(x, x + 3);
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 6, 0.5, x);
  }
};

// Helium, exp(-z (r1 + r2)) exp(r12/2 exp(-alpha r12)).
struct HeliumRexp {
  static constexpr int electrons = 2;
  double z = 2.0, alpha = 0.5;
  std::vector<ParameterInfo> parameters() const {
    return {{"z", z, 0.5, 4.0}, {"alpha", alpha, 0.01, 10.0}};
  }
  template <class T>
  T log_psi(const T* x, const T* p) const {
    const T r12 = distance(x, x + 3);
    return r12 * 0.5 * exp(-(p[1] * r12)) - p[0] * (length(x) + length(x + 3));
  }
  template <class T>
  T potential(const T* x) const {
    return Helium{}.potential(x);
  }
  void place(std::uint64_t seed, std::int64_t walker, double* x) const {
    place_normally(seed, walker, 6, 0.5, x);
  }
};

}  // namespace systems
