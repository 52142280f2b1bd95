// The Slater-Jastrow wave function of a pack of walkers: moves and local energy.
//
//   psi = D_up D_down exp(J),   E_L = -1/2 sum_i [lap_i ln psi + |grad_i ln psi|^2] + V
//   grad_i ln D = sum_k (A^-1)_ki grad phi_k(r_i),  lap_i D / D = sum_k (A^-1)_ki lap
//   phi_k(r_i)
// so lap_i ln D = lap_i D / D - |grad_i ln D|^2. Everything is recomputed from the
// positions when a tile is visited; between visits a walker is its positions.
#pragma once

#include "drover/wave/determinant_kernel.hpp"
#include "drover/wave/geometry_kernel.hpp"
#include "drover/wave/jastrow_kernel.hpp"
#include "drover/wave/orbital_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Where the local energy leaves its numbers; arrays may be null where not wanted.
template <class R>
struct EnergyResult {
  R kinetic, potential;
  R log_abs, sign, log_jastrow;  // ln|psi|, sign of psi, J: only when logs were asked for
};

template <class R>
class SlaterJastrow {
 public:
  // Bytes of workspace that the constructor's arena must offer.
  static long workspace_bytes(const WavePlan& plan) {
    Arena count(nullptr);
    SlaterJastrow measure(plan, count);
    return count.used();
  }

  SlaterJastrow(const WavePlan& plan, Arena& arena) : plan_(plan), jastrow_(plan, arena) {
    const long n = plan.electrons, atoms = plan.atoms;
    const long widest = plan.up > plan.down ? plan.up : plan.down;
    positions_ = arena.take<R>(3 * n);
    exponentials_ = arena.take<R>(plan.orbitals.max_exponents);
    basis_ = arena.take<R>(5L * plan.orbitals.functions);
    radial_ = arena.take<Radial<R>>((n + 1) * atoms);
    orbitals_ = arena.take<R>(n * widest * 5);
    inverse_ = arena.take<R>(long(plan.up) * plan.up + long(plan.down) * plan.down);
    matrix_ = arena.take<R>(widest * widest);
    scratch_ = arena.take<R>(widest * widest);
    phi_ = arena.take<R>(widest);
    geometry_.nuclear = arena.take<Separation<R>>((n + 1) * atoms);
    geometry_.electron = arena.take<Separation<R>>(n * (n - 1) / 2 + 1);
    gradient_ = arena.take<R>(3 * n);
    laplacian_ = arena.take<R>(n);
    body_ = arena.take<R>(n + 1);
    pair_ = arena.take<R>(n * n);
    row_ = arena.take<R>(n);
    by_parameter_ = arena.take<R>(plan.parameters);
    energy_by_parameter_ = arena.take<R>(plan.parameters);
  }

  int electrons() const { return plan_.electrons; }
  R* positions() { return positions_; }

  // Relative width of a move at x: the smallest over nuclei of
  // sqrt(((1/2Z)^2 + r^2) / (1 + r^2)). Flat at the nucleus, where a width that grew at
  // once would make the way back unlikely and so hold electrons there.
  R move_scale(const R* x) const {
    R scale2(1.0);
    for (int a = 0; a < plan_.atoms; ++a) {
      const AtomPlan& atom = plan_.orbitals.atom[a];
      if (atom.charge < 1.5) continue;
      const R dx = x[0] - R(atom.x), dy = x[1] - R(atom.y), dz = x[2] - R(atom.z);
      const R r2 = fma(dx, dx, fma(dy, dy, dz * dz));
      const double core = 0.5 / atom.charge;
      scale2 = min(scale2, (R(core * core) + r2) / (R(1.0) + r2));
    }
    return sqrt(scale2);
  }

  // Prepares one-electron moves from positions(): inverses and, unless only the
  // determinant is sampled, the Jastrow tables.
  void load(bool with_jastrow) {
    const WavePlan& p = plan_;
    with_jastrow_ = with_jastrow && jastrow_.active();
    for (int spin = 0; spin < 2; ++spin) {
      const int n = count(spin);
      fill_matrix(spin);
      invert<R>(n, matrix_, inverse(spin), scratch_, nullptr, nullptr);
    }
    if (!with_jastrow_) return;
    for (int i = 0; i < p.electrons; ++i) load_electron(i, positions_ + 3 * i);
    for (int i = 1; i < p.electrons; ++i)
      for (int j = 0; j < i; ++j) {
        const R *a = positions_ + 3 * i, *b = positions_ + 3 * j;
        const R r = distance(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        const R u = jastrow_.pair(i, j, r, alike(i, j));
        pair_[i * p.electrons + j] = pair_[j * p.electrons + i] = u;
      }
  }

  // psi(electron e at x') / psi = ratio exp(jastrow); remembers what accept needs.
  struct Ratio {
    R ratio, jastrow;
  };
  Ratio propose(int e, const R* x) {
    const WavePlan& p = plan_;
    const int spin = e < p.up ? 0 : 1, n = count(spin), i = e - first_electron(spin);
    basis_functions<false>(p.orbitals, x[0], x[1], x[2], exponentials_, basis_,
                           radial_ + p.electrons * p.atoms);
    contract_orbitals<1>(coefficients(spin), n, p.orbitals.functions, basis_, phi_);
    proposed_ratio_ = determinant_ratio(n, phi_, inverse(spin) + i * n);
    R jastrow(0.0);
    if (with_jastrow_) {
      load_electron(p.electrons, x);
      jastrow = body_[p.electrons] - body_[e];
      for (int j = 0; j < p.electrons; ++j) {
        if (j == e) continue;
        const R* b = positions_ + 3 * j;
        const R r = distance(x[0] - b[0], x[1] - b[1], x[2] - b[2]);
        row_[j] = jastrow_.pair(p.electrons, j, r, alike(e, j));
        jastrow += row_[j] - pair_[e * p.electrons + j];
      }
    }
    return {proposed_ratio_, jastrow};
  }

  // Takes the last proposal in the lanes of `accepted`.
  void accept(int e, const R* x, mask_t<R> accepted) {
    const WavePlan& p = plan_;
    const int spin = e < p.up ? 0 : 1, n = count(spin), i = e - first_electron(spin);
    update_inverse(n, i, phi_, proposed_ratio_, accepted, inverse(spin));
    for (int k = 0; k < 3; ++k)
      positions_[3 * e + k] = select(accepted, x[k], positions_[3 * e + k]);
    if (!with_jastrow_) return;
    body_[e] = select(accepted, body_[p.electrons], body_[e]);
    for (int j = 0; j < p.electrons; ++j) {
      if (j == e) continue;
      const R u = select(accepted, row_[j], pair_[e * p.electrons + j]);
      pair_[e * p.electrons + j] = pair_[j * p.electrons + e] = u;
    }
    jastrow_.accept(e, accepted);
  }

  // ln|psi| (or ln|D|) at x, leaving the state of moves unusable.
  R log_value(const R* x, bool with_jastrow) {
    if (x != positions_)
      for (int k = 0; k < 3 * plan_.electrons; ++k) positions_[k] = x[k];
    const WavePlan& p = plan_;
    R total(0.0);
    for (int spin = 0; spin < 2; ++spin) {
      const int n = count(spin);
      fill_matrix(spin);
      R logs(0.0);
      invert<R>(n, matrix_, inverse(spin), scratch_, &logs, nullptr);
      total += logs;
    }
    if (!with_jastrow || !jastrow_.active()) return total;
    for (int i = 0; i < p.electrons; ++i) {
      load_electron(i, positions_ + 3 * i);
      total += body_[i];
      for (int j = 0; j < i; ++j) {
        const R *a = positions_ + 3 * i, *b = positions_ + 3 * j;
        total += jastrow_.pair(i, j, distance(a[0] - b[0], a[1] - b[1], a[2] - b[2]),
                               alike(i, j));
      }
    }
    return total;
  }

  // Local energy at positions(). With Logs also ln|psi|, sign and J; with Derivatives
  // by_parameter() and energy_by_parameter(). Leaves the state of moves unusable.
  template <bool Derivatives, bool Logs>
  EnergyResult<R> energy() {
    const WavePlan& p = plan_;
    const int n_all = p.electrons;
    EnergyResult<R> out;
    out.log_abs = R(0.0);
    out.sign = R(1.0);
    measure_geometry(p, positions_, geometry_);

    R jastrow(0.0);
    for (int k = 0; k < 3 * n_all; ++k) gradient_[k] = R(0.0);
    for (int k = 0; k < n_all; ++k) laplacian_[k] = R(0.0);

    const int widest = p.up > p.down ? p.up : p.down;
    for (int spin = 0; spin < 2; ++spin) {
      const int n = count(spin), first = first_electron(spin);
      for (int i = 0; i < n; ++i) {
        const R* x = positions_ + 3 * (first + i);
        basis_functions<true>(p.orbitals, x[0], x[1], x[2], exponentials_, basis_,
                              radial_ + (first + i) * p.atoms);
        R* mo = orbitals_ + (first + i) * widest * 5;
        contract_orbitals<5>(coefficients(spin), n, p.orbitals.functions, basis_, mo);
        for (int k = 0; k < n; ++k) matrix_[i * n + k] = mo[5 * k];
      }
      if constexpr (Logs) {
        R logs, sign;
        invert<R>(n, matrix_, inverse(spin), scratch_, &logs, &sign);
        out.log_abs += logs;
        out.sign *= sign;
      } else {
        invert<R>(n, matrix_, inverse(spin), scratch_, nullptr, nullptr);
      }
    }
    jastrow_.energy(geometry_, radial_, jastrow, gradient_, laplacian_);

    R sum(0.0);
    for (int spin = 0; spin < 2; ++spin) {
      const int n = count(spin), first = first_electron(spin);
      for (int i = 0; i < n; ++i) {
        const int e = first + i;
        const R* row = inverse(spin) + i * n;
        const R* mo = orbitals_ + e * widest * 5;
        R d[5] = {R(0.0), R(0.0), R(0.0), R(0.0), R(0.0)};
        for (int k = 0; k < n; ++k)
          for (int c = 1; c < 5; ++c) d[c] = fma(row[k], mo[5 * k + c], d[c]);
        R* g = gradient_ + 3 * e;
        const R slater2 = fma(d[1], d[1], fma(d[2], d[2], d[3] * d[3]));
        for (int c = 0; c < 3; ++c) g[c] += d[c + 1];
        laplacian_[e] += d[4] - slater2;
        sum += laplacian_[e];
        sum = fma(g[0], g[0], fma(g[1], g[1], fma(g[2], g[2], sum)));
      }
    }
    out.kinetic = R(-0.5) * sum;
    out.potential = potential();
    out.log_jastrow = jastrow;
    out.log_abs += jastrow;
    if constexpr (Derivatives) derivatives();
    return out;
  }

  const R* gradient() const { return gradient_; }    // grad ln|psi|, [3 N]
  const R* laplacian() const { return laplacian_; }  // lap ln|psi|, [N]
  const R* by_parameter() const { return by_parameter_; }
  const R* energy_by_parameter() const { return energy_by_parameter_; }

 private:
  int count(int spin) const { return spin == 0 ? plan_.up : plan_.down; }
  int first_electron(int spin) const { return spin == 0 ? 0 : plan_.up; }
  bool alike(int i, int j) const { return (i < plan_.up) == (j < plan_.up); }
  const double* coefficients(int spin) const {
    return spin == 0 ? plan_.orbitals.up_coefficients : plan_.orbitals.down_coefficients;
  }
  R* inverse(int spin) { return inverse_ + (spin == 0 ? 0 : long(plan_.up) * plan_.up); }
  static R distance(R x, R y, R z) { return sqrt(fma(x, x, fma(y, y, z * z))); }

  // matrix_ of one spin, orbital values alone, and the s orbitals of its electrons.
  void fill_matrix(int spin) {
    const WavePlan& p = plan_;
    const int n = count(spin), first = first_electron(spin);
    for (int i = 0; i < n; ++i) {
      const R* x = positions_ + 3 * (first + i);
      basis_functions<false>(p.orbitals, x[0], x[1], x[2], exponentials_, basis_,
                             radial_ + (first + i) * p.atoms);
      contract_orbitals<1>(coefficients(spin), n, p.orbitals.functions, basis_,
                           matrix_ + i * n);
    }
  }

  // One-body values and een factors of the electron in slot i (slot `electrons`: a
  // proposal).
  void load_electron(int i, const R* x) {
    const WavePlan& p = plan_;
    Separation<R>* nuclear = geometry_.nuclear + i * p.atoms;
    for (int a = 0; a < p.atoms; ++a) {
      const AtomPlan& atom = p.orbitals.atom[a];
      nuclear[a].r = distance(x[0] - R(atom.x), x[1] - R(atom.y), x[2] - R(atom.z));
    }
    body_[i] = jastrow_.body(i, nuclear, radial_ + i * p.atoms);
  }

  R potential() const {
    const WavePlan& p = plan_;
    R v(p.nuclear_repulsion);
    for (int i = 0; i < p.electrons; ++i) {
      for (int a = 0; a < p.atoms; ++a)
        v = fnma(R(p.orbitals.atom[a].charge), geometry_.nuclear[i * p.atoms + a].inverse,
                 v);
      for (int j = 0; j < i; ++j) v += geometry_.electron[pair_index(i, j)].inverse;
    }
    return v;
  }

  void derivatives() {
    const WavePlan& p = plan_;
    for (int k = 0; k < p.parameters; ++k)
      by_parameter_[k] = energy_by_parameter_[k] = R(0.0);
    jastrow_.derivatives(geometry_, radial_, gradient_, by_parameter_,
                         energy_by_parameter_);
  }

  const WavePlan& plan_;
  Jastrow<R> jastrow_;
  bool with_jastrow_ = true;
  R proposed_ratio_{};
  R *positions_, *exponentials_, *basis_, *orbitals_, *inverse_, *matrix_, *scratch_,
      *phi_;
  Radial<R>* radial_;
  Geometry<R> geometry_;
  R *gradient_, *laplacian_, *body_, *pair_, *row_;
  R *by_parameter_, *energy_by_parameter_;
};

}  // namespace DROVER_ISA
}  // namespace drover
