// Neural Jastrow terms of a pack of walkers: u(s_ij) of pairs (neural-ee), chi(s_iI ...)
// of electrons (neural-en) and u(s_ij, s_iI + s_jI ...) of pairs (neural-een), each a
// network of network_kernel.hpp.
//
// A feature is s = (r/(1 + r))^2, or the bare distance for pytc's functions. The first
// has no slope at r = 0 and tends to one, so that a network of it changes no cusp and
// needs neither an envelope nor a cutoff:
//   grad s = 2 q^3 (x, y, z),   |grad s|^2 = (2 q^3 r)^2,   lap s = 6 q^4,   q = 1/(1 +
//   r).
// ee and een may carry the cusp a r/(1 + r), a by spin. What one electron gives to layer
// one, sum_I W_I s_iI, is summed once an electron: forward as jets, backward by adding up
// the cotangents of all of its pairs before they meet s_iI.
#pragma once

#include "drover/wave/network_kernel.hpp"
#include "drover/wave/radial_functions.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Q s = -1/2 lap s - F . grad s of a jet (value, gradient, Laplacian).
template <class R>
DROVER_INLINE R jet_q(const R* s, const R* drift) {
  return fnma(drift[0], s[1], fnma(drift[1], s[2], fnma(drift[2], s[3], R(-0.5) * s[4])));
}

template <class R, NeuralKind K>
class NeuralTerm {
  static constexpr bool pairs = K != NeuralKind::en, nuclei = K != NeuralKind::ee;
  static constexpr bool both = pairs && nuclei;
  // Directions of first derivatives: of s itself, of one electron, of two.
  static constexpr int directions = !nuclei ? 1 : both ? 6 : 3;
  static constexpr int laplacians = both ? 2 : 1;
  static constexpr int channels = 1 + directions + laplacians;

 public:
  explicit NeuralTerm(const WavePlan& plan)
      : plan_(plan), p_(plan.neural[int(K)]), net_(p_.net), width_(net_.width[1]) {}
  bool active() const { return p_.active; }

  void allocate(Arena& arena) {
    const long n = plan_.electrons, width = width_;
    slot_ = arena.take<R>(both ? (n + 1) * width : 0);
    nuclear_ = arena.take<R>(nuclei ? n * plan_.atoms * 5 : 0);
    first_ = arena.take<R>(both ? n * width * 5 : 0);
    first_q_ = arena.take<R>(both ? n * width : 0);
    bar_ = arena.take<R>(both ? n * width * 5 : 0);
    const long widest = net_.widest > plan_.atoms ? net_.widest : plan_.atoms;
    z_ = arena.take<R>(widest * channels);
    other_ = arena.take<R>(widest * channels);
    tape_.allocate(net_, directions + 2, arena);
  }

  // --- values, for moves

  // chi of the electron in a slot (en), or its part of layer one kept in the slot (een).
  DROVER_INLINE R body(long slot, const Separation<R>* nuclear,
                       const Radial<R>*) requires(nuclei) {
    R* s = other_;
    for (int a = 0; a < plan_.atoms; ++a) s[a] = feature_value(nuclear[a].r);
    if constexpr (both) {
      dense_layer<1>(plan_.atoms, width_, nuclear_kernel(), nullptr, s,
                     slot_ + slot * width_);
      return R(0.0);
    } else {
      dense_layer<1>(plan_.atoms, width_, nuclear_kernel(), bias_of(net_, 0), s, z_);
      R chi;
      network_forward<0, 0>(net_, R(0.0), z_, s, p_.residual ? s : nullptr, &chi);
      return chi;
    }
  }

  DROVER_INLINE R pair(long i, long j, R r, bool like) const requires(pairs) {
    const R s = feature_value(r);
    const double *kernel = kernel_of(net_, 0), *bias = bias_of(net_, 0);
    for (int o = 0; o < width_; ++o) {
      const R z = fma(R(kernel[o]), s, R(bias[o]));
      if constexpr (both)
        z_[o] = z + (slot_[i * width_ + o] + slot_[j * width_ + o]);
      else
        z_[o] = z;
    }
    R u;
    network_forward<0, 0>(net_, R(0.0), z_, other_, p_.residual ? &s : nullptr, &u);
    const double cusp = like ? p_.like : p_.unlike;
    return cusp == 0.0 ? u : fma(R(cusp), r / (R(1.0) + r), u);
  }

  void accept(int e, mask_t<R> accepted) requires(both) {
    take_slot(slot_, plan_.electrons, width_, e, accepted);
  }

  // --- value, gradient and Laplacian

  void energy(const Geometry<R>& geometry, const Radial<R>*, R& value, R* grad, R* lap) {
    if constexpr (nuclei) {
      for (int i = 0; i < plan_.electrons; ++i) {
        R* s = nuclear_ + 5L * i * plan_.atoms;
        fill_nuclear(geometry.nuclear + long(i) * plan_.atoms, s);
        if constexpr (both) {
          dense_layer<5>(plan_.atoms, width_, nuclear_kernel(), nullptr, s,
                         first_ + 5L * i * width_);
        } else {
          dense_layer<5>(plan_.atoms, width_, nuclear_kernel(), bias_of(net_, 0), s, z_);
          R chi[5];
          network_forward<3, 1>(net_, R(1.0), z_, other_, p_.residual ? s : nullptr, chi);
          value += chi[0];
          for (int c = 0; c < 3; ++c) grad[3 * i + c] += chi[1 + c];
          lap[i] += chi[4];
        }
      }
    }
    if constexpr (pairs)
      for (int i = 1; i < plan_.electrons; ++i)
        for (int j = 0; j < i; ++j)
          pair_energy(i, j, geometry.electron[pair_index(i, j)], value, grad, lap);
  }

  // --- parameter derivatives

  void derivatives(const Geometry<R>& geometry, const Radial<R>*, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    R* by = by_parameter + p_.first_parameter;
    R* energy_by = energy_by_parameter + p_.first_parameter;
    if constexpr (both) {
      const long all = long(plan_.electrons) * width_;
      for (long k = 0; k < 5 * all; ++k) bar_[k] = R(0.0);
      for (long k = 0; k < all; ++k)
        first_q_[k] = jet_q(first_ + 5 * k, drift + 3 * (k / width_));
    }
    if constexpr (pairs)
      for (int i = 1; i < plan_.electrons; ++i)
        for (int j = 0; j < i; ++j)
          pair_derivatives(i, j, geometry.electron[pair_index(i, j)], drift, by,
                           energy_by);
    if constexpr (nuclei) {
      for (int i = 0; i < plan_.electrons; ++i) {
        const R *s = nuclear_ + 5L * i * plan_.atoms, *f = drift + 3 * i;
        if constexpr (both) {
          first_kernel(s, f, bar_ + 5L * i * width_, by, energy_by);
        } else {
          R* input = other_;  // s with Q in the place of the Laplacian
          for (int a = 0; a < plan_.atoms; ++a) {
            for (int c = 0; c < 4; ++c) input[5 * a + c] = s[5 * a + c];
            input[5 * a + 4] = jet_q(s + 5 * a, f);
          }
          dense_layer<5>(plan_.atoms, width_, nuclear_kernel(), bias_of(net_, 0), input,
                         tape_.z);
          network_reverse<3>(net_, R(-0.5), p_.residual ? input : nullptr, tape_, by,
                             energy_by);
          first_kernel(s, f, tape_.bar, by, energy_by);
        }
      }
    }
  }

 private:
  DROVER_INLINE R feature_value(R r) const {
    if (p_.distances) return softened(plan_.softening, r);
    const R t = r / (R(1.0) + r);
    return t * t;
  }
  // s of a distance as Distance: value, slope, |grad|^2, Laplacian.
  DROVER_INLINE Distance<R> feature(const Separation<R>& d) const {
    if (p_.distances) return softened(plan_.softening, d);
    const R q = R(1.0) / (R(1.0) + d.r);
    const R t = d.r * q, q2 = q * q, slope = R(2.0) * q2 * q, along = slope * d.r;
    return {t * t, slope, along * along, R(6.0) * q2 * q2};
  }
  DROVER_INLINE void fill_nuclear(const Separation<R>* from, R* s) const {
    for (int a = 0; a < plan_.atoms; ++a, s += 5) {
      const Separation<R>& d = from[a];
      const Distance<R> f = feature(d);
      s[0] = f.r;
      s[1] = f.slope * d.x;
      s[2] = f.slope * d.y;
      s[3] = f.slope * d.z;
      s[4] = f.laplacian;
    }
  }

  // Layer one's rows that belong to nuclei: een has the pair's first.
  int nuclear_row() const { return net_.kernel[0] + (both ? width_ : 0); }
  const double* nuclear_kernel() const { return net_.weights + nuclear_row(); }
  double cusp(int i, int j) const {
    return (i < plan_.up) == (j < plan_.up) ? p_.like : p_.unlike;
  }

  // Value and gradients of z_1 of a pair of electrons, C channels a neuron.
  template <int C>
  DROVER_INLINE void pair_layer(int i, int j, const Separation<R>& d,
                                const Distance<R>& s, R* z) const {
    const double *kernel = kernel_of(net_, 0), *bias = bias_of(net_, 0);
    const R sx = s.slope * d.x, sy = s.slope * d.y, sz = s.slope * d.z;
    const R *pi = first_ + 5L * i * width_, *pj = first_ + 5L * j * width_;
    for (int o = 0; o < width_; ++o, pi += 5, pj += 5, z += C) {
      const R k(kernel[o]);
      z[0] = fma(k, s.r, R(bias[o])) + (pi[0] + pj[0]);
      z[1] = fma(k, sx, pi[1]);
      z[2] = fma(k, sy, pi[2]);
      z[3] = fma(k, sz, pi[3]);
      z[4] = fnma(k, sx, pj[1]);
      z[5] = fnma(k, sy, pj[2]);
      z[6] = fnma(k, sz, pj[3]);
    }
  }

  void pair_energy(int i, int j, const Separation<R>& d, R& value, R* grad, R* lap) {
    const Distance<R> s = feature(d);
    const double *kernel = kernel_of(net_, 0), *bias = bias_of(net_, 0), a = cusp(i, j);
    R slope(0.0), laplace(0.0);  // what is radial in the pair
    if (a != 0.0) {
      const R q = R(1.0) / (R(1.0) + d.r);
      value = fma(R(a) * d.r, q, value);
      slope = R(a) * q * q * d.inverse;
      laplace = R(2.0) * q * slope;
    }
    R u[channels];
    if constexpr (!nuclei) {
      // grad u = u_s grad s,  lap u = u_s lap s + u_ss |grad s|^2
      const R input[3] = {s.r, R(1.0), R(0.0)};
      dense_layer<3>(1, width_, kernel, bias, input, z_);
      network_forward<1, 1>(net_, R(1.0), z_, other_, p_.residual ? input : nullptr, u);
      slope = fma(u[1], s.slope, slope);
      laplace += fma(u[2], s.square, u[1] * s.laplacian);
    } else {
      pair_layer<9>(i, j, d, s, z_);
      const R *pi = first_ + 5L * i * width_, *pj = first_ + 5L * j * width_;
      for (int o = 0; o < width_; ++o) {
        z_[9 * o + 7] = fma(R(kernel[o]), s.laplacian, pi[5 * o + 4]);
        z_[9 * o + 8] = fma(R(kernel[o]), s.laplacian, pj[5 * o + 4]);
      }
      network_forward<6, 2>(net_, R(1.0), z_, other_, static_cast<const R*>(nullptr), u);
      for (int c = 0; c < 3; ++c) {
        grad[3 * i + c] += u[1 + c];
        grad[3 * j + c] += u[4 + c];
      }
      lap[i] += u[7];
      lap[j] += u[8];
    }
    value += u[0];
    if (!nuclei || a != 0.0) add_pair(i, j, d, slope, laplace, grad, lap);
  }

  void pair_derivatives(int i, int j, const Separation<R>& d, const R* drift, R* by,
                        R* energy_by) {
    const Distance<R> s = feature(d);
    const double *kernel = kernel_of(net_, 0), *bias = bias_of(net_, 0);
    R *by_k = by + net_.kernel[0], *energy_k = energy_by + net_.kernel[0];
    // Q s of both electrons
    const R q = -fma(pair_projection(i, j, d, drift), s.slope, s.laplacian);
    if constexpr (!nuclei) {
      // d/ds is the one direction: Q u = u_s Q s - u_ss |grad s|^2
      const R input[3] = {s.r, R(1.0), q};
      dense_layer<3>(1, width_, kernel, bias, input, tape_.z);
      network_reverse<1>(net_, -s.square, p_.residual ? input : nullptr, tape_, by,
                         energy_by);
      const R* b = tape_.bar;
      for (int o = 0; o < width_; ++o, b += 3) {
        by_k[o] = fma(b[2], s.r, by_k[o]);
        energy_k[o] += fma(b[0], s.r, fma(b[2], q, b[1]));
      }
    } else {
      pair_layer<8>(i, j, d, s, tape_.z);
      const R *qi = first_q_ + long(i) * width_, *qj = first_q_ + long(j) * width_;
      for (int o = 0; o < width_; ++o)
        tape_.z[8 * o + 7] = fma(R(kernel[o]), q, qi[o] + qj[o]);
      network_reverse<6>(net_, R(-0.5), static_cast<const R*>(nullptr), tape_, by,
                         energy_by);
      const R* b = tape_.bar;
      const R sx = s.slope * d.x, sy = s.slope * d.y, sz = s.slope * d.z;
      R *bi = bar_ + 5L * i * width_, *bj = bar_ + 5L * j * width_;
      for (int o = 0; o < width_; ++o, b += 8, bi += 5, bj += 5) {
        by_k[o] = fma(b[7], s.r, by_k[o]);
        const R along = fma(b[1] - b[4], sx, fma(b[2] - b[5], sy, (b[3] - b[6]) * sz));
        energy_k[o] += fma(b[0], s.r, fma(b[7], q, along));
        bi[0] += b[0];
        bj[0] += b[0];
        for (int c = 1; c < 4; ++c) {
          bi[c] += b[c];
          bj[c] += b[3 + c];
        }
        bi[4] += b[7];
        bj[4] += b[7];
      }
    }
  }

  // Layer one's nuclear weights from the cotangents (v, g, a) of one electron: adds a s
  // to d n/dW and v s + g . grad s + a Q s to d(Q n)/dW.
  void first_kernel(const R* s, const R* drift, const R* bar, R* by, R* energy_by) const {
    by += nuclear_row();
    energy_by += nuclear_row();
    for (int a = 0; a < plan_.atoms; ++a, s += 5, by += width_, energy_by += width_) {
      const R q = jet_q(s, drift);
      const R* b = bar;
      for (int o = 0; o < width_; ++o, b += 5) {
        by[o] = fma(b[4], s[0], by[o]);
        R e = fma(b[0], s[0], energy_by[o]);
        e = fma(b[1], s[1], fma(b[2], s[2], fma(b[3], s[3], e)));
        energy_by[o] = fma(b[4], q, e);
      }
    }
  }

  const WavePlan& plan_;
  const NeuralPlan& p_;
  const NetworkPlan& net_;
  const int width_;       // of layer one
  R* slot_ = nullptr;     // [electron slot][width]: nuclear part of layer one, for moves
  R* nuclear_ = nullptr;  // [electron][atom][5]: s_iI, its gradient and Laplacian
  R* first_ = nullptr;    // [electron][width][5]: nuclear part of layer one
  R* first_q_ = nullptr;  // [electron][width]: its Q
  R* bar_ = nullptr;      // [electron][width][5]: cotangents of value, gradient, Q
  R *z_ = nullptr, *other_ = nullptr;
  NetworkTape<R> tape_{};
};

}  // namespace DROVER_ISA
}  // namespace drover
