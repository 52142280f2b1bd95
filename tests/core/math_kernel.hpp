// Every function of core/math.hpp and core/random.hpp evaluated with a given scalar, as
// one body that the tests compile for several instruction sets (math_kernel_*.cpp).
#pragma once

#include <cstdint>

#include "drover/core/random.hpp"

namespace drover {

// Outputs of math_outputs, one row of `count` numbers each.
inline constexpr int math_functions = 17;
inline constexpr const char* math_function_names[math_functions] = {
    "exp",      "exp_negative", "expm1",    "log",    "log1p",       "sin",
    "cos",      "sin 2 pi",     "cos 2 pi", "tanh",   "logistic",    "softplus",
    "copysign", "min",          "max",      "move x", "move uniform"};

inline namespace DROVER_ISA {

// out[function][i] for x[i], i < count (a multiple of 8); draws are of walker i.
template <class R>
DROVER_INLINE void math_outputs_with(const double* x, std::int64_t count, double* out) {
  for (std::int64_t i = 0; i < count; i += lanes_v<R>) {
    const R a = load<R>(x + i);
    R s, c, s2, c2;
    sincos(a, s, c);
    sincos_2pi(a, s2, c2);
    const MoveDraw<R> d =
        draw_move<R>(20260101, i, 77 + (std::int64_t{3} << 33), Purpose::move, 12);
    const R results[math_functions] = {exp(a),
                                       exp_negative(a),
                                       expm1(a),
                                       log(a),
                                       log1p(a),
                                       s,
                                       c,
                                       s2,
                                       c2,
                                       tanh(a),
                                       logistic(a),
                                       softplus(a),
                                       copysign(R(2.0), a),
                                       min(a, R(0.0)),
                                       max(a, R(0.0)),
                                       d.x + R(3.0) * d.y + R(7.0) * d.z,
                                       d.uniform};
    for (int f = 0; f < math_functions; ++f) store(out + f * count + i, results[f]);
  }
}

void math_outputs(int lanes, const double* x, std::int64_t count, double* out);

}  // namespace DROVER_ISA
}  // namespace drover
