// Do the error bars hold? 400 seeds of small runs; see errorbars.hpp.
//
//   study_errorbars [runs]
// Exit status 1 when a bar fails at a false-alarm rate of 1e-6 a line, or when the naive
// bar does not fail, which would mean that the study could not see a bar that is too
// small.
#include "bench/errorbars.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

#include "drover/app/bench_systems.hpp"
#include "drover/mesh/mesh.hpp"

namespace {

// Hartree-Fock energy of helium in cc-pVDZ, by PySCF; the determinant's exact energy.
constexpr double helium_energy = -2.855160477242742;
constexpr double largest_deviation = 4.8916;  // of a normal number, 1e-6

bool report(const char* name, const errorbars::Findings& f) {
  const bool right =
      f.holds() && f.naive_fails() &&
      (!f.mean_deviation || std::fabs(*f.mean_deviation) < largest_deviation);
  fmt::print(
      "  {:<34}{:>6}{:>7.0f}{:>7.1f}{:>9.3f}{:>9.2f}   {:.2f} to {:.2f}{:>10}  {}\n",
      name, f.runs, f.mean_steps, f.mean_tau, f.mean_square, f.mean_square_naive,
      f.allowed.low, f.allowed.high,
      f.mean_deviation ? fmt::format("{:+.2f}", *f.mean_deviation) : "",
      right ? "holds" : "FAILS");
  std::fflush(stdout);
  return right;
}

bool study(int runs) {
  const auto scope = drover::use_mesh(drover::Mesh::cpu(1));
  const drover::Molecule helium = drover::app::bench_system("he");
  const drover::Molecule lih = drover::app::bench_system("lih");
  fmt::print("  {:<34}{:>6}{:>7}{:>7}{:>9}{:>9}   {:<12}{:>10}\n", "", "runs", "steps",
             "tau", "<z^2>", "naive", "allowed", "mean z");

  drover::Settings determinant = errorbars::correlated_settings();
  determinant.jastrow.terms.clear();
  bool right = report("He, determinant, exact energy",
                      errorbars::study(helium, determinant, runs, 1, helium_energy));

  drover::Settings jastrow = errorbars::correlated_settings();
  right &= report("He, Jastrow, mean of the runs",
                  errorbars::study(helium, jastrow, runs, 100001, {}));
  right &= report("LiH, Jastrow, mean of the runs",
                  errorbars::study(lih, jastrow, runs, 200001, {}));
  // As a run does by default: it stops when its own error bar is small enough.
  jastrow.measure.steps = 0;
  jastrow.measure.target_error = 0.012;
  right &= report("He, Jastrow, to a target error",
                  errorbars::study(helium, jastrow, runs, 300001, {}));
  fmt::print(
      "  z: deviation of a run's energy in units of its error bar; allowed: but for "
      "1e-6\n");
  return right;
}

}  // namespace

int main(int arguments, char** values) {
  int runs = 400;
  if (arguments > 1) {
    const char* end = values[1] + std::strlen(values[1]);
    const auto parsed = std::from_chars(values[1], end, runs);
    if (arguments > 2 || parsed.ec != std::errc() || parsed.ptr != end || runs < 20) {
      fmt::print(stderr, "usage: study_errorbars [runs]; at least 20 runs\n");
      return 2;
    }
  }
  try {
    return study(runs) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "study_errorbars: {}\n", error.what());
    return 1;
  }
}
