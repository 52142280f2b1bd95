// A small dense tanh network on packs of walkers: values, forward jets, one reverse
// sweep.
//
//   z_l = b_l + W_l x_l,  x_(l+1) = tanh z_l (+ x_l where widths match),  n = b + w . x
// The caller makes z_1, so that what does not change from pair to pair is summed once.
// A neuron carries channels: its value, D first derivatives and S linear second-order
// ones. With y = tanh z, y' = 1 - y^2, y'' = -2 y y', y''' = -2 y'(y' - 2 y^2):
//   y_g = y' z_g,   y_s = y' z_s + f y'' |z_g|^2   (s sees its own D/S directions).
// A Laplacian has f = 1; the local-energy functional Q n = -1/2 lap n - F . grad n has
// f = -1/2 and is linear in the jets, so d(Q n)/dW needs one reverse sweep; its cotangent
// of Q is that of the value, d n/dW, which therefore comes for nothing.
// Forward Laplacian: Li et al., Nat. Mach. Intell. 6, 209 (2024). Residual connections
// and the linear last layer as in pytc's MLP.
#pragma once

#include "drover/core/math.hpp"
#include "drover/wave/geometry_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

DROVER_INLINE const double* kernel_of(const NetworkPlan& net, int layer) {
  return net.weights + net.kernel[layer];
}
DROVER_INLINE const double* bias_of(const NetworkPlan& net, int layer) {
  return net.bias[layer] < 0 ? nullptr : net.weights + net.bias[layer];
}

// z = bias + x kernel of B outputs from o on; kernel [inputs][outputs], bias null: zero.
template <int C, int B, class R>
DROVER_INLINE void dense_outputs(int o, int inputs, int outputs, const double* kernel,
                                 const double* bias, const R* x, R* z) {
  R sum[B * C];
  for (int b = 0; b < B; ++b) {
    sum[b * C] = R(bias ? bias[o + b] : 0.0);
    for (int c = 1; c < C; ++c) sum[b * C + c] = R(0.0);
  }
  for (int k = 0; k < inputs; ++k) {
    for (int b = 0; b < B; ++b) {
      const R w(kernel[k * outputs + o + b]);
      for (int c = 0; c < C; ++c) sum[b * C + c] = fma(w, x[k * C + c], sum[b * C + c]);
    }
  }
  for (int c = 0; c < B * C; ++c) z[o * C + c] = sum[c];
}

// The same for all outputs and C channels a neuron. Several outputs at a time where there
// are few channels: nine sums or so keep the units busy.
template <int C, class R>
DROVER_INLINE void dense_layer(int inputs, int outputs, const double* kernel,
                               const double* bias, const R* x, R* z) {
  constexpr int block = C == 1 ? 8 : C <= 3 ? 4 : C <= 5 ? 2 : 1;
  int o = 0;
  for (; o + block <= outputs; o += block)
    dense_outputs<C, block>(o, inputs, outputs, kernel, bias, x, z);
  if constexpr (block > 1)
    for (; o < outputs; ++o) dense_outputs<C, 1>(o, inputs, outputs, kernel, bias, x, z);
}

// y = tanh z in all channels of `width` neurons (y may be z); `residual` (may be null) is
// added. z's own value is replaced by tanh z, which is what the reverse sweep reads.
template <int D, int S, class R>
DROVER_INLINE void activate(int width, R f, R* z, const R* residual, R* y) {
  // Gradient components to each Laplacian; 0 without Laplacians.
  constexpr int C = 1 + D + S, block = D / (S == 0 ? D + 1 : S);
  for (int o = 0; o < width; ++o) {
    R* zo = z + o * C;
    R* yo = y + o * C;
    const R* x = residual ? residual + o * C : nullptr;
    const R t = tanh(zo[0]);
    zo[0] = t;
    R out[C];
    out[0] = t;
    if constexpr (D > 0) {
      const R slope = fnma(t, t, R(1.0));
      const R curvature = f * (R(-2.0) * t * slope);
      for (int s = 0; s < S; ++s) {
        R square(0.0);
        for (int c = 0; c < block; ++c) {
          const R g = zo[1 + s * block + c];
          square = fma(g, g, square);
        }
        out[1 + D + s] = fma(slope, zo[1 + D + s], curvature * square);
      }
      for (int c = 1; c <= D; ++c) out[c] = slope * zo[c];
    }
    for (int c = 0; c < C; ++c) yo[c] = x ? out[c] + x[c] : out[c];
  }
}

// n of the network from z_1 in `z`, channels and f as above. `features` (may be null) is
// the first layer's input, for its residual connection. z and other: [widest][C], both
// overwritten.
template <int D, int S, class R>
DROVER_INLINE void network_forward(const NetworkPlan& net, R f, R* z, R* other,
                                   const R* features, R* n) {
  constexpr int C = 1 + D + S;
  activate<D, S>(net.width[1], f, z, features, z);
  for (int l = 1; l + 1 < net.layers; ++l) {
    dense_layer<C>(net.width[l], net.width[l + 1], kernel_of(net, l), bias_of(net, l), z,
                   other);
    const bool same = net.width[l] == net.width[l + 1];
    activate<D, S>(net.width[l + 1], f, other, same ? z : nullptr, other);
    R* swapped = z;
    z = other;
    other = swapped;
  }
  const int last = net.layers - 1;
  dense_layer<C>(net.width[last], 1, kernel_of(net, last), bias_of(net, last), z, n);
}

// Memory of the reverse sweep, [layer][widest][C] and [widest][C].
template <class R>
struct NetworkTape {
  R *z, *y, *bar, *next_bar;

  void allocate(const NetworkPlan& net, int channels, Arena& arena) {
    const long row = long(net.widest) * channels;
    z = arena.take<R>(row * (net.layers - 1));
    y = arena.take<R>(row * (net.layers - 1));
    bar = arena.take<R>(row);
    next_bar = arena.take<R>(row);
  }
};

// One forward and one reverse sweep. In: z_1 in tape.z (channels value, D gradients, Q).
// Adds d n/dp and d(Q n)/dp of every layer but the first one's kernel; leaves the
// cotangents of z_1 in tape.bar, [width 1][value, D, Q]: of Q n with respect to value and
// gradients, and (the last) of Q n with respect to Q, which is d n/d z.
template <int D, class R>
void network_reverse(const NetworkPlan& net, R f, const R* features, NetworkTape<R>& tape,
                     R* by_weight, R* energy_by_weight) {
  constexpr int C = D + 2, Q = D + 1;
  const long row = long(net.widest) * C;
  activate<D, 1>(net.width[1], f, tape.z, features, tape.y);
  for (int l = 1; l + 1 < net.layers; ++l) {
    R *x = tape.y + (l - 1) * row, *z = tape.z + l * row;
    dense_layer<C>(net.width[l], net.width[l + 1], kernel_of(net, l), bias_of(net, l), x,
                   z);
    const bool same = net.width[l] == net.width[l + 1];
    activate<D, 1>(net.width[l + 1], f, z, same ? x : nullptr, tape.y + l * row);
  }

  const int last = net.layers - 1;
  R *bar = tape.bar, *next = tape.next_bar;
  {
    // The last layer is linear: cotangents (0, 0, w) and weights by the neurons' Q.
    const R* y = tape.y + (last - 1) * row;
    const double* w = kernel_of(net, last);
    const int first = net.kernel[last];
    for (int k = 0; k < net.width[last]; ++k) {
      for (int c = 0; c < Q; ++c) bar[k * C + c] = R(0.0);
      bar[k * C + Q] = R(w[k]);
      by_weight[first + k] += y[k * C];
      energy_by_weight[first + k] += y[k * C + Q];
    }
    if (net.bias[last] >= 0) by_weight[net.bias[last]] += R(1.0);
  }
  for (int l = last - 1;; --l) {
    // Through tanh: z's cotangents in the place of y's.
    const R* z = tape.z + l * row;
    const bool keep = l > 0 && net.width[l] == net.width[l + 1];  // residual connection
    if (keep)
      for (int k = 0; k < net.width[l] * C; ++k) next[k] = bar[k];
    for (int o = 0; o < net.width[l + 1]; ++o) {
      const R* zo = z + o * C;
      R* b = bar + o * C;
      const R t = zo[0], slope = fnma(t, t, R(1.0));
      const R curvature = R(-2.0) * t * slope;
      const R third = R(-2.0) * slope * fnma(R(2.0) * t, t, slope);
      R cross(0.0), square(0.0);
      for (int c = 1; c <= D; ++c) {
        cross = fma(b[c], zo[c], cross);
        square = fma(zo[c], zo[c], square);
      }
      const R a = b[Q];
      b[0] = fma(slope, b[0],
                 fma(curvature, cross, a * fma(curvature, zo[Q], f * (third * square))));
      const R pull = R(2.0) * f * (a * curvature);
      for (int c = 1; c <= D; ++c) b[c] = fma(slope, b[c], pull * zo[c]);
      b[Q] = slope * a;
    }
    const int outputs = net.width[l + 1];
    for (int o = 0; o < outputs; ++o) {
      by_weight[net.bias[l] + o] += bar[o * C + Q];
      energy_by_weight[net.bias[l] + o] += bar[o * C];
    }
    if (l == 0) break;
    // Through the kernel: its derivatives, and the cotangents of its input.
    const R* x = tape.y + (l - 1) * row;
    const double* kernel = kernel_of(net, l);
    for (int k = 0; k < net.width[l]; ++k) {
      R xk[C], sum[C];
      for (int c = 0; c < C; ++c) {
        xk[c] = x[k * C + c];
        sum[c] = keep ? next[k * C + c] : R(0.0);
      }
      R* o_k = by_weight + net.kernel[l] + k * outputs;
      R* e_k = energy_by_weight + net.kernel[l] + k * outputs;
      for (int o = 0; o < outputs; ++o) {
        const R* b = bar + o * C;
        const R w(kernel[k * outputs + o]);
        R energy = e_k[o];
        for (int c = 0; c < C; ++c) {
          energy = fma(b[c], xk[c], energy);
          sum[c] = fma(w, b[c], sum[c]);
        }
        e_k[o] = energy;
        o_k[o] = fma(b[Q], xk[0], o_k[o]);
      }
      for (int c = 0; c < C; ++c) next[k * C + c] = sum[c];
    }
    R* swapped = bar;
    bar = next;
    next = swapped;
  }
  tape.bar = bar;
  tape.next_bar = next;
}

}  // namespace DROVER_ISA
}  // namespace drover
