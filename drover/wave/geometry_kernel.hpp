// Distances of a pack of walkers: electron-nucleus and electron-electron vectors with r
// and 1/r (one square root and one division each), and the bump allocator of a kernel's
// workspace.
#pragma once

#include "drover/core/pack.hpp"
#include "drover/wave/plan.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
struct Separation {
  R x, y, z, r, inverse;
};

template <class R>
DROVER_INLINE Separation<R> separation(R x, R y, R z) {
  Separation<R> s;
  s.x = x;
  s.y = y;
  s.z = z;
  s.r = sqrt(fma(x, x, fma(y, y, z * z)));
  s.inverse = R(1.0) / s.r;
  return s;
}

// i > j.
DROVER_INLINE int pair_index(int i, int j) {
  return i * (i - 1) / 2 + j;
}

template <class R>
struct Geometry {
  Separation<R>* nuclear = nullptr;   // [electron][atom], from the atom to the electron
  Separation<R>* electron = nullptr;  // [pair_index], r_i - r_j
};

template <class R>
void measure_geometry(const WavePlan& plan, const R* x, Geometry<R>& g) {
  for (int i = 0; i < plan.electrons; ++i) {
    const R* xi = x + 3 * i;
    for (int a = 0; a < plan.atoms; ++a) {
      const AtomPlan& atom = plan.orbitals.atom[a];
      g.nuclear[i * plan.atoms + a] =
          separation(xi[0] - R(atom.x), xi[1] - R(atom.y), xi[2] - R(atom.z));
    }
    for (int j = 0; j < i; ++j) {
      const R* xj = x + 3 * j;
      g.electron[pair_index(i, j)] =
          separation(xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]);
    }
  }
}

// A distance as a Jastrow term sees it: grad = slope (x,y,z), |grad|^2 = square. Exactly
// r, but for comparisons with pytc, which adds small numbers to r or r^2 (Softening).
template <class R>
struct Distance {
  R r, slope, square, laplacian;
};
template <class R>
DROVER_INLINE R softened(const Softening& soft, R r) {
  if (soft.square != 0.0) return sqrt(fma(r, r, R(soft.square)));
  return soft.shift != 0.0 ? r + R(soft.shift) : r;
}
template <class R>
DROVER_INLINE Distance<R> softened(const Softening& soft, const Separation<R>& d) {
  const R r = softened(soft, d.r);
  if (soft.square == 0.0) return {r, d.inverse, R(1.0), R(2.0) * d.inverse};
  const R inverse = R(1.0) / r, rest = R(soft.square) * inverse * inverse;
  return {r, inverse, R(1.0) - rest, (R(2.0) + rest) * inverse};
}

// A function of r_ij of electrons i and j whose gradient by r_i is slope * (x,y,z).
template <class R>
DROVER_INLINE void add_pair(int i, int j, const Separation<R>& d, R slope, R laplacian,
                            R* grad, R* lap) {
  R *gi = grad + 3 * i, *gj = grad + 3 * j;
  const R gx = slope * d.x, gy = slope * d.y, gz = slope * d.z;
  gi[0] += gx;
  gi[1] += gy;
  gi[2] += gz;
  gj[0] -= gx;
  gj[1] -= gy;
  gj[2] -= gz;
  lap[i] += laplacian;
  lap[j] += laplacian;
}

// Hands out aligned arrays from one block; with a null block it only counts the bytes.
class Arena {
 public:
  explicit Arena(char* block) : block_(block) {}
  template <class T>
  T* take(long n) {
    constexpr long align = 64;
    T* p = block_ ? reinterpret_cast<T*>(block_ + used_) : nullptr;
    used_ += (n * long(sizeof(T)) + align - 1) / align * align;
    return p;
  }
  long used() const { return used_; }

 private:
  char* block_;
  long used_ = 0;
};

// Row `e` of a table [slot][width] becomes the proposal's row where it was accepted.
template <class R>
DROVER_INLINE void take_slot(R* table, int proposal, int width, int e,
                             mask_t<R> accepted) {
  const R* from = table + long(proposal) * width;
  R* to = table + long(e) * width;
  for (int k = 0; k < width; ++k) to[k] = select(accepted, from[k], to[k]);
}

}  // namespace DROVER_ISA
}  // namespace drover
