// The yardstick: the bare local energy of a water-like Slater-Jastrow function, the least
// that such an energy can be thought to cost, independent of Drover's own kernels.
//
// 10 electrons, 5 orbitals a spin, 24 basis functions in 12 shells on three nuclei (25
// primitives, each with its own exponential), a polynomial of degree 7 in every distance
// as Jastrow factor; a walker is a lane and everything is recomputed from positions. No
// moves, no cusps, no parameters, no care for results: coefficients are made up.
#pragma once

namespace yardstick {

inline constexpr int electrons = 10, orbitals = 5, nuclei = 3, functions = 24;
inline constexpr int shells = 12, longest_contraction = 8, degree = 7;

struct Shell {
  int nucleus = 0, l = 0, primitives = 0;
  double exponent[longest_contraction] = {}, coefficient[longest_contraction] = {};
};

struct System {
  double nucleus[nuclei][3] = {};  // bohr
  double charge[nuclei] = {};
  Shell shell[shells];  // sorted by nucleus
  double orbital[functions][orbitals] = {};
  double jastrow[degree + 1] = {};  // highest power first
};

// energies[walkers] of positions[3 electrons][walkers]; walkers: a multiple of the lanes.
using Kernel = void (*)(const System& system, const double* positions, int walkers,
                        double* energies);

// Null where this file has no such lane count.
Kernel kernel_v3(int lanes);
Kernel kernel_v4(int lanes);

}  // namespace yardstick
