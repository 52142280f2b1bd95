#include "drover/wave/initial_walkers.hpp"

#include <algorithm>
#include <cmath>

#include "drover/core/random.hpp"

namespace drover {

std::vector<int> electron_homes(const Molecule& molecule) {
  const std::size_t atoms = molecule.atoms.size();
  std::vector<int> placed(atoms, 0), up(atoms, 0), down(atoms, 0);
  std::vector<int> homes_up, homes_down;
  for (int e = 0; e < molecule.electrons(); ++e) {
    std::size_t home = 0;  // the atom that lacks most electrons
    for (std::size_t a = 1; a < atoms; ++a)
      if (molecule.atoms[a].charge - placed[a] >
          molecule.atoms[home].charge - placed[home])
        home = a;
    const bool up_left = static_cast<int>(homes_up.size()) < molecule.up;
    const bool down_left = static_cast<int>(homes_down.size()) < molecule.down;
    const bool wants_up = up[home] <= down[home];
    const bool is_up = !down_left || (up_left && wants_up);
    (is_up ? homes_up : homes_down).push_back(static_cast<int>(home));
    ++(is_up ? up : down)[home];
    ++placed[home];
  }
  homes_up.insert(homes_up.end(), homes_down.begin(), homes_down.end());
  return homes_up;
}

void place_electrons(const Molecule& molecule, std::uint64_t seed, const TileView& tile) {
  const std::vector<int> homes = electron_homes(molecule);
  for (int w = 0; w < tile_walkers; ++w) {
    for (std::size_t e = 0; e < homes.size(); ++e) {
      const Atom& atom = molecule.atoms[static_cast<std::size_t>(homes[e])];
      // Two pairs of normal numbers: a direction and a distance.
      const auto index = static_cast<std::int64_t>(2 * e);
      const auto a = draw_normals<double>(seed, tile.first_walker + w, 0,
                                          Purpose::initial_positions, index);
      const auto b = draw_normals<double>(seed, tile.first_walker + w, 0,
                                          Purpose::initial_positions, index + 1);
      const bool up = static_cast<int>(e) < molecule.up;
      // Kept off the nucleus, where a far tail of the normal numbers would put it.
      const double mean = up ? 0.5 : 1.0, width = up ? 0.1 : 0.3;
      const double distance = std::max(std::fabs(mean + width * b.second), 0.1 * mean);
      const double length =
          std::sqrt(a.first * a.first + a.second * a.second + b.first * b.first);
      const double direction[3] = {a.first, a.second, b.first};
      for (std::size_t k = 0; k < 3; ++k)
        tile.positions[(3 * e + k) * tile_walkers + static_cast<std::size_t>(w)] =
            atom.position[k] + distance * direction[k] / length;
    }
  }
}

}  // namespace drover
