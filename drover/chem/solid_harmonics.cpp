// Run-time door to the table of real solid harmonics (see solid_harmonics.hpp).
#include "drover/chem/solid_harmonics.hpp"

#include <string>

#include "drover/core/error.hpp"

namespace drover {

std::vector<Monomial> solid_harmonic(int l, int m_index) {
  if (l < 0 || l > max_angular_momentum || m_index < 0 || m_index > 2 * l)
    throw Error(
        ErrorKind::logic,
        "[solid_harmonic] expected 0 <= l <= " + std::to_string(max_angular_momentum) +
            " and 0 <= m_index <= 2l, found l = " + std::to_string(l) +
            ", m_index = " + std::to_string(m_index));
  const SolidHarmonic& harmonic = solid_harmonic_table.of(l, m_index);
  return {harmonic.begin(), harmonic.end()};
}

}  // namespace drover
