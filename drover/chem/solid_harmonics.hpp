// Real solid harmonics S_lm(x,y,z) as sums of monomials, Racah's normalisation, any l up
// to 6.
//
//   S_lm = N_lm sum_t sum_u sum_v C_tuv x^(2t+|m|-2(u+v)) y^(2(u+v)) z^(l-2t-|m|)
//   C_tuv = (-1)^(t+v-v_m) 4^-t binom(l,t) binom(l-t,|m|+t) binom(t,u) binom(|m|,2v)
//   N_lm = sqrt(2 (l+|m|)! (l-|m|)! / 2^delta_0m) / (2^|m| l!),  v_m = 0 (m >= 0), 1/2 (m
//   < 0)
//
// Helgaker, Jorgensen and Olsen, Molecular Electronic-Structure Theory, eq. 6.4.47. The
// table is made by the compiler (consteval: no function is left in a kernel file); a
// coefficient is an exact integer times a correctly rounded square root, so it is the
// same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace drover {

// c x^i y^j z^k
struct Monomial {
  double c = 0.0;
  int i = 0, j = 0, k = 0;
};

inline constexpr int max_angular_momentum = 6;

// Place of m in the order m = 0, +1, -1, +2, -2, ..., and back.
constexpr int m_of_index(int m_index) {
  return m_index % 2 == 1 ? (m_index + 1) / 2 : -(m_index / 2);
}
constexpr int index_of_m(int m) {
  return m > 0 ? 2 * m - 1 : -2 * m;
}

struct SolidHarmonic {
  int size = 0;
  Monomial terms[12] = {};

  constexpr const Monomial* begin() const { return terms; }
  constexpr const Monomial* end() const { return terms + size; }
};

struct SolidHarmonicTable {
  // S_lm stands at [l*l + m_index].
  SolidHarmonic harmonics[(max_angular_momentum + 1) * (max_angular_momentum + 1)] = {};

  constexpr const SolidHarmonic& of(int l, int m_index) const {
    return harmonics[l * l + m_index];
  }
};

namespace solid_harmonics_detail {

consteval std::int64_t factorial(int n) {
  std::int64_t product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

consteval std::int64_t binomial(int n, int k) {
  return k < 0 || k > n ? 0 : factorial(n) / (factorial(k) * factorial(n - k));
}

// Correctly rounded square root of 0 < n < 2^40. The root of n 4^k is found in integers
// with at least one bit more than a double holds; it is exact or irrational, so no tie
// can occur.
consteval double square_root(std::int64_t n) {
  using Wide = unsigned __int128;
  int k = 0;
  Wide radicand = static_cast<Wide>(n);
  while (radicand < (static_cast<Wide>(1) << 106)) {
    radicand <<= 2;
    ++k;
  }
  Wide root = 0;
  for (Wide bit = static_cast<Wide>(1) << 55; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= radicand) root |= bit;
  int drop = 0;
  while ((root >> drop) >= (static_cast<Wide>(1) << 53)) ++drop;
  const Wide half = drop > 0 ? static_cast<Wide>(1) << (drop - 1) : 0;
  double value = static_cast<double>(static_cast<std::int64_t>((root + half) >> drop));
  for (int i = drop; i < k; ++i) value *= 0.5;
  return value;
}

consteval SolidHarmonic make(int l, int m_index) {
  const int m = m_of_index(m_index);
  const int abs_m = m < 0 ? -m : m;
  const int odd = m < 0 ? 1 : 0;  // 2 v_m; below, w = 2v runs over odd, odd + 2, ...
  const std::int64_t under_root =
      factorial(l + abs_m) * factorial(l - abs_m) * (m == 0 ? 1 : 2);
  const double root = square_root(under_root);
  SolidHarmonic harmonic;
  for (int t = 0; 2 * t <= l - abs_m; ++t) {
    // y's power is 2u + w: terms of equal t and power are one monomial.
    for (int power = odd; power <= 2 * t + abs_m; power += 2) {
      std::int64_t sum = 0;
      for (int u = 0; u <= t; ++u) {
        const int w = power - 2 * u;
        if (w < odd || w > abs_m) continue;
        const int sign = (t + (w - odd) / 2) % 2 == 0 ? 1 : -1;
        sum += sign * binomial(l, t) * binomial(l - t, abs_m + t) * binomial(t, u) *
               binomial(abs_m, w);
      }
      if (sum == 0) continue;
      double c = static_cast<double>(sum) * root / static_cast<double>(factorial(l));
      for (int i = 0; i < abs_m + 2 * t; ++i) c *= 0.5;
      harmonic.terms[harmonic.size++] = {c, 2 * t + abs_m - power, power,
                                         l - 2 * t - abs_m};
    }
  }
  return harmonic;
}

consteval SolidHarmonicTable make_table() {
  SolidHarmonicTable table;
  for (int l = 0; l <= max_angular_momentum; ++l)
    for (int m_index = 0; m_index < 2 * l + 1; ++m_index)
      table.harmonics[l * l + m_index] = make(l, m_index);
  return table;
}

}  // namespace solid_harmonics_detail

// The whole table, usable in constant expressions: solid_harmonic_table.of(l, m_index).
inline constexpr SolidHarmonicTable solid_harmonic_table =
    solid_harmonics_detail::make_table();

// S_lm for 0 <= l <= 6 and m_index in the order m = 0, +1, -1, ...; throws Error
// otherwise.
std::vector<Monomial> solid_harmonic(int l, int m_index);

// The monomial number `index` of a Cartesian shell, alphabetical (xx, xy, xz, yy, yz,
// zz), c = 1.
constexpr Monomial cartesian_monomial(int l, int index) {
  int i = l;
  int row = 0;  // the functions with x^i are l - i + 1
  while (index >= row + (l - i + 1)) {
    row += l - i + 1;
    --i;
  }
  const int k = index - row;
  return {1.0, i, l - i - k, k};
}

}  // namespace drover
