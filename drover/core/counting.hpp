// Counting: a scalar that computes like a double and counts its operations by kind.
//
// A kernel templated on its scalar and run with Counting tells how many operations one
// walker costs, independent of the machine; bench/ divides by time and by peak. The math
// functions of math.hpp are counted as calls (exp, log, ...) and what they do inside is
// counted as additions, multiplications and so on; integer and bit operations are not.
#pragma once

#include <cstdint>

#include "drover/core/math.hpp"

namespace drover {

struct OperationCounts {
  std::int64_t add = 0;  // + - and negation
  std::int64_t multiply = 0;
  std::int64_t fma = 0;  // counts two in flops()
  std::int64_t divide = 0;
  std::int64_t square_root = 0;
  std::int64_t compare = 0;  // comparisons, selects, min, max, abs
  std::int64_t exp = 0;  // calls of exp, exp_negative, expm1, tanh (also inside others)
  std::int64_t log = 0;  // calls of log, log1p
  std::int64_t sincos = 0;  // calls of sincos, sincos_2pi

  // An fma is two, everything else one; calls are counted by what they do inside.
  std::int64_t flops() const {
    return add + multiply + 2 * fma + divide + square_root + compare;
  }
  friend OperationCounts operator-(const OperationCounts& a, const OperationCounts& b) {
    return {a.add - b.add,
            a.multiply - b.multiply,
            a.fma - b.fma,
            a.divide - b.divide,
            a.square_root - b.square_root,
            a.compare - b.compare,
            a.exp - b.exp,
            a.log - b.log,
            a.sincos - b.sincos};
  }
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

// What this thread's Countings have done so far.
inline thread_local OperationCounts operation_counts;

// The operations of f() on this thread.
template <class F>
OperationCounts count_operations(F&& f) {
  const OperationCounts before = operation_counts;
  f();
  return operation_counts - before;
}

inline namespace DROVER_ISA {

struct Counting {
  double v;

  Counting() = default;
  Counting(double x) : v(x) {}
  explicit operator double() const { return v; }

  friend Counting operator+(Counting a, Counting b) {
    ++operation_counts.add;
    return a.v + b.v;
  }
  friend Counting operator-(Counting a, Counting b) {
    ++operation_counts.add;
    return a.v - b.v;
  }
  friend Counting operator*(Counting a, Counting b) {
    ++operation_counts.multiply;
    return a.v * b.v;
  }
  friend Counting operator/(Counting a, Counting b) {
    ++operation_counts.divide;
    return a.v / b.v;
  }
  friend Counting operator-(Counting a) {
    ++operation_counts.add;
    return -a.v;
  }
  Counting& operator+=(Counting b) { return *this = *this + b; }
  Counting& operator-=(Counting b) { return *this = *this - b; }
  Counting& operator*=(Counting b) { return *this = *this * b; }
  Counting& operator/=(Counting b) { return *this = *this / b; }

  friend bool operator<(Counting a, Counting b) { return compared(a.v < b.v); }
  friend bool operator>(Counting a, Counting b) { return compared(a.v > b.v); }
  friend bool operator<=(Counting a, Counting b) { return compared(a.v <= b.v); }
  friend bool operator>=(Counting a, Counting b) { return compared(a.v >= b.v); }
  friend bool operator==(Counting a, Counting b) { return compared(a.v == b.v); }
  friend bool operator!=(Counting a, Counting b) { return compared(a.v != b.v); }

 private:
  static bool compared(bool result) {
    ++operation_counts.compare;
    return result;
  }
};

template <>
inline constexpr bool is_kernel_real_v<Counting> = true;
template <>
struct bits_of<Counting> {
  using type = std::uint64_t;
};
inline std::uint64_t to_bits(Counting x) {
  return to_bits(x.v);
}

inline Counting fma(Counting a, Counting b, Counting c) {
  ++operation_counts.fma;
  return __builtin_fma(a.v, b.v, c.v);
}
inline Counting fnma(Counting a, Counting b, Counting c) {
  ++operation_counts.fma;
  return __builtin_fma(-a.v, b.v, c.v);
}
inline Counting sqrt(Counting a) {
  ++operation_counts.square_root;
  return sqrt(a.v);
}
inline Counting select(bool m, Counting a, Counting b) {
  ++operation_counts.compare;
  return m ? a : b;
}
inline Counting abs(Counting a) {
  ++operation_counts.compare;
  return abs(a.v);
}
inline Counting min(Counting a, Counting b) {
  ++operation_counts.compare;
  return min(a.v, b.v);
}
inline Counting max(Counting a, Counting b) {
  ++operation_counts.compare;
  return max(a.v, b.v);
}
inline void store(double* p, Counting a) {
  *p = a.v;
}

// A call, and inside the templates of math.hpp, which a plain function hides.
inline Counting exp(Counting x) {
  ++operation_counts.exp;
  return exp<Counting>(x);
}
inline Counting exp_negative(Counting x) {
  ++operation_counts.exp;
  return exp_negative<Counting>(x);
}
inline Counting expm1(Counting x) {
  ++operation_counts.exp;
  return expm1<Counting>(x);
}
inline Counting tanh(Counting x) {
  ++operation_counts.exp;
  return tanh<Counting>(x);
}
inline Counting log(Counting x) {
  ++operation_counts.log;
  return log<Counting>(x);
}
inline Counting log_unchecked(Counting x) {
  ++operation_counts.log;
  return log_unchecked<Counting>(x);
}
inline Counting log1p(Counting x) {
  ++operation_counts.log;
  return log1p<Counting>(x);
}
inline void sincos(Counting x, Counting& s, Counting& c) {
  ++operation_counts.sincos;
  sincos<Counting>(x, s, c);
}
inline void sincos_2pi(Counting turns, Counting& s, Counting& c) {
  ++operation_counts.sincos;
  sincos_2pi<Counting>(turns, s, c);
}

}  // namespace DROVER_ISA
}  // namespace drover
