// Slater determinants of a pack of walkers: inverse, ratio of a one-electron move,
// update.
//
// A[i][k] = phi_k(r_i). inverse[i][k] holds (A^-1)_ki, so that the ratio D(r_i -> r')/D
// is sum_k phi_k(r') inverse[i][k], a dot product of rows (Sherman-Morrison).
#pragma once

#include "drover/core/math.hpp"
#include "drover/core/pack.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Gauss-Jordan with partial pivoting, each lane its own pivots by select.
// a[n][n] (destroyed) -> inverse[n][n] as above; if log_abs is given it receives ln|det
// A| and sign its sign. A singular matrix gives -inf and non-finite entries, nothing
// else.
template <class R>
void invert(int n, R* a, R* inverse, R* scratch, R* log_abs, R* sign) {
  R* b = scratch;  // becomes A^-1: b[k][i]
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) b[r * n + c] = R(r == c ? 1.0 : 0.0);
  R logs(0.0), signs(1.0);
  for (int c = 0; c < n; ++c) {
    for (int r = c + 1; r < n; ++r) {
      const auto swap = abs(a[r * n + c]) > abs(a[c * n + c]);
      if (!any(swap)) continue;
      for (int k = c; k < n; ++k) {
        const R p = a[c * n + k], q = a[r * n + k];
        a[c * n + k] = select(swap, q, p);
        a[r * n + k] = select(swap, p, q);
      }
      for (int k = 0; k < n; ++k) {
        const R p = b[c * n + k], q = b[r * n + k];
        b[c * n + k] = select(swap, q, p);
        b[r * n + k] = select(swap, p, q);
      }
      signs = select(swap, -signs, signs);
    }
    const R pivot = a[c * n + c];
    if (log_abs) {
      logs = logs + log(abs(pivot));
      signs = select(pivot < R(0.0), -signs, signs);
    }
    const R reciprocal = R(1.0) / pivot;
    for (int k = c + 1; k < n; ++k) a[c * n + k] = a[c * n + k] * reciprocal;
    for (int k = 0; k < n; ++k) b[c * n + k] = b[c * n + k] * reciprocal;
    for (int r = 0; r < n; ++r) {
      if (r == c) continue;
      const R f = a[r * n + c];
      for (int k = c + 1; k < n; ++k) a[r * n + k] = fnma(f, a[c * n + k], a[r * n + k]);
      for (int k = 0; k < n; ++k) b[r * n + k] = fnma(f, b[c * n + k], b[r * n + k]);
    }
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) inverse[i * n + k] = b[k * n + i];
  if (log_abs) *log_abs = logs;
  if (sign) *sign = signs;
}

template <class R>
DROVER_INLINE R determinant_ratio(int n, const R* phi, const R* inverse_row) {
  R ratio(0.0);
  for (int k = 0; k < n; ++k) ratio = fma(phi[k], inverse_row[k], ratio);
  return ratio;
}

// Replaces row i of A by phi in the lanes of `accepted`; ratio is determinant_ratio of
// row i.
template <class R>
DROVER_INLINE void update_inverse(int n, int i, const R* phi, R ratio, mask_t<R> accepted,
                                  R* inverse) {
  const R reciprocal = R(1.0) / ratio;
  R* row = inverse + i * n;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    R* other = inverse + j * n;
    R dot(0.0);
    for (int k = 0; k < n; ++k) dot = fma(phi[k], other[k], dot);
    const R f = select(accepted, dot * reciprocal, R(0.0));
    for (int k = 0; k < n; ++k) other[k] = fnma(f, row[k], other[k]);
  }
  const R scale = select(accepted, reciprocal, R(1.0));
  for (int k = 0; k < n; ++k) row[k] = row[k] * scale;
}

}  // namespace DROVER_ISA
}  // namespace drover
