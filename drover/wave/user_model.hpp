// UserModel<F>: a wave function and potential of one's own as a Model for the engine.
//
//   struct Hooke {
//     static constexpr int electrons = 2;
//     std::vector<ParameterInfo> parameters() const;              // may be empty
//     template <class T> T log_psi(const T* x, const T* p) const; // ln|psi| at x[3
//     electrons] template <class T> T potential(const T* x) const;           // hartree
//     void place(std::uint64_t seed, std::int64_t walker, double* x) const;  // first
//     positions
//   };
//
// T is a pack of walkers, or the forward Laplacian of one (ad/laplacian.hpp), so write
// with
// + - * /, sqrt, exp, log and select found by argument-dependent lookup. Gradient,
// Laplacian and parameter derivatives follow from the one function. Lanes are those of
// the instruction set that the including file is compiled for.
#pragma once

#include <algorithm>
#include <new>

#include "drover/ad/dual.hpp"
#include "drover/ad/laplacian.hpp"
#include "drover/core/error.hpp"
#include "drover/core/random.hpp"
#include "drover/wave/model.hpp"
#include "drover/wave/visit_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

// ln|det a| of a small matrix of any scalar with select; partial pivoting by value.
template <int N, class T>
T log_abs_determinant(T (&a)[N][N]) {
  T logs(0.0);
  for (int c = 0; c < N; ++c) {
    for (int r = c + 1; r < N; ++r) {
      const auto swap = abs(a[r][c]) > abs(a[c][c]);
      for (int k = c; k < N; ++k) {
        const T p = a[c][k], q = a[r][k];
        a[c][k] = select(swap, q, p);
        a[r][k] = select(swap, p, q);
      }
    }
    logs = logs + log(abs(a[c][c]));
    for (int r = c + 1; r < N; ++r) {
      const T f = a[r][c] / a[c][c];
      for (int k = c + 1; k < N; ++k) a[r][k] = a[r][k] - f * a[c][k];
    }
  }
  return logs;
}

// What visit_tile needs, from ln|psi| alone.
template <class R, class F>
class UserPsi {
 public:
  static constexpr int coordinates = 3 * F::electrons;

  UserPsi(const F& function, const std::vector<double>& values)
      : function_(function), values_(values), parameters_(values.size()) {
    by_parameter_.resize(values.size());
    energy_by_parameter_.resize(values.size());
  }

  int electrons() const { return F::electrons; }
  R* positions() { return x_; }
  R move_scale(const R*) const { return R(1.0); }
  void load(bool) { current_ = value(x_); }

  struct Ratio {
    R ratio, jastrow;
  };
  Ratio propose(int e, const R* x) {
    R moved[coordinates];
    std::copy_n(x_, coordinates, moved);
    std::copy_n(x, 3, moved + 3 * e);
    proposed_ = value(moved);
    return {R(1.0), proposed_ - current_};
  }
  void accept(int e, const R* x, mask_t<R> accepted) {
    for (int k = 0; k < 3; ++k) x_[3 * e + k] = select(accepted, x[k], x_[3 * e + k]);
    current_ = select(accepted, proposed_, current_);
  }
  R log_value(const R* x, bool) const { return value(x); }

  struct Energy {
    R kinetic, potential, log_abs, sign, log_jastrow;
  };
  template <bool Derivatives, bool Logs>
  Energy energy() {
    using T = Laplacian<R, coordinates>;
    T x[coordinates];
    for (int k = 0; k < coordinates; ++k) x[k] = T::coordinate(x_[k], k);
    const T logs = function_.log_psi(x, lifted<T>(-1).data());
    R sum = logs.laplacian;
    for (int k = 0; k < coordinates; ++k) {
      gradient_[k] = logs.gradient[static_cast<std::size_t>(k)];
      sum = fma(gradient_[k], gradient_[k], sum);
    }
    // Per electron only the total is known; it stands with the first.
    for (int e = 0; e < F::electrons; ++e) laplacian_[e] = R(0.0);
    laplacian_[0] = logs.laplacian;
    if constexpr (Derivatives) derivatives();
    return {R(-0.5) * sum, function_.potential(static_cast<const R*>(x_)), logs.value,
            R(1.0), R(0.0)};
  }
  const R* gradient() const { return gradient_; }
  const R* laplacian() const { return laplacian_; }
  const R* by_parameter() const { return by_parameter_.data(); }
  const R* energy_by_parameter() const { return energy_by_parameter_.data(); }

 private:
  R value(const R* x) const { return function_.log_psi(x, lifted<R>(-1).data()); }

  // Parameters as scalars T; number `varied` carries the derivative.
  template <class T>
  std::vector<T> lifted(int varied) const {
    std::vector<T> p;
    p.reserve(parameters_);
    for (std::size_t k = 0; k < parameters_; ++k) {
      T t(values_[k]);
      if constexpr (requires { t.value.derivative; })
        if (static_cast<int>(k) == varied) t.value.derivative[0] = R(1.0);
      p.push_back(t);
    }
    return p;
  }

  // One forward pass a parameter: cost (parameters + 1) times the energy.
  void derivatives() {
    using D = Dual<R, 1>;
    using T = Laplacian<D, coordinates>;
    for (std::size_t k = 0; k < parameters_; ++k) {
      T x[coordinates];
      for (int c = 0; c < coordinates; ++c) x[c] = T::coordinate(D(x_[c]), c);
      const T logs = function_.log_psi(x, lifted<T>(static_cast<int>(k)).data());
      D sum = logs.laplacian;
      for (const D& g : logs.gradient) sum = sum + g * g;
      by_parameter_[k] = logs.value.derivative[0];
      energy_by_parameter_[k] = R(-0.5) * sum.derivative[0];
    }
  }

  const F& function_;
  const std::vector<double>& values_;
  std::size_t parameters_;
  R x_[coordinates], gradient_[coordinates], laplacian_[F::electrons];
  R current_, proposed_;
  std::vector<R> by_parameter_, energy_by_parameter_;
};

template <class F>
class UserModel final : public Model {
 public:
  explicit UserModel(F function) : function_(std::move(function)) {
    parameters_ = function_.parameters();
    for (const ParameterInfo& p : parameters_) values_.push_back(p.initial);
  }
  int electrons() const override { return F::electrons; }
  const std::vector<ParameterInfo>& parameters() const override { return parameters_; }
  void set_parameters(const std::vector<double>& values) override {
    if (values.size() != parameters_.size())
      throw Error(ErrorKind::logic,
                  "[set_parameters] the model has " + std::to_string(parameters_.size()) +
                      " parameters, found " + std::to_string(values.size()));
    values_ = values;
  }
  std::unique_ptr<Scratch> make_scratch() const override {
    return std::make_unique<Scratch>();
  }
  void initial_positions(std::uint64_t seed, const TileView& tile) const override {
    double x[3 * F::electrons];
    for (int w = 0; w < tile_walkers; ++w) {
      function_.place(seed, tile.first_walker + w, x);
      for (int k = 0; k < 3 * F::electrons; ++k)
        tile.positions[k * tile_walkers + w] = x[k];
    }
  }
  void visit(Scratch&, const VisitPlan& plan, const TileView& tile,
             TileResult& result) const override {
    using R = Pack<DROVER_ISA_LANES>;
    UserPsi<R, F> psi(function_, values_);
    R here[7 * F::electrons], there[7 * F::electrons];
    constexpr int n = F::electrons;
    MoveWork<R> work{{here, here + 3 * n, here + 6 * n, R(0.0)},
                     {there, there + 3 * n, there + 6 * n, R(0.0)}};
    visit_tile<R>(psi, work, static_cast<int>(parameters_.size()), plan, tile, result);
  }
  int lanes() const override { return DROVER_ISA_LANES; }
  std::string instruction_set() const override {
    return DROVER_ISA_LANES == 8   ? "x86-64-v4"
           : DROVER_ISA_LANES == 4 ? "x86-64-v3"
                                   : "x86-64";
  }

 private:
  F function_;
  std::vector<ParameterInfo> parameters_;
  std::vector<double> values_;
};

}  // namespace DROVER_ISA
}  // namespace drover
