// reduce_scatter: the sum over devices, of which each device keeps its rows only.
//
// The words of a rank's rows are packed together, with the tallies of numbers left out
// behind them, so one reduce-scatter over ranks brings each rank what its own devices
// keep.
#pragma once

#include "drover/mesh/linear.hpp"

namespace drover {
namespace detail {

// sums[device][term], each of rows * width values. Returns the reduced sums of this
// rank's rows, a set for each term; their tallies are those of all rows, on every rank
// alike.
std::vector<ExactSums> reduce_scatter_sums(
    const ShardLayout& layout, std::int64_t width, std::string_view label,
    const std::vector<std::vector<ExactSums*>>& sums);

// factors[t] * terms[t], summed in order. Errors: numerical, when numbers were left out.
std::vector<double> combine_terms(std::string_view label,
                                  const std::vector<double>& factors,
                                  const std::vector<ExactSums>& terms);

}  // namespace detail

// One reduce-scatter, in which a rank receives the words of its own rows alone; none on a
// mesh of one device. Errors: as reduce().
template <HasFlatRows T>
requires SummableTree<T> && std::is_floating_point_v<typename RowTraits<T>::scalar>
    Sharded<T> reduce_scatter(Unreduced<T> u, std::int64_t grain = 1,
                              std::string_view label = "reduce_scatter") {
  using Traits = RowTraits<T>;
  require_host_code("reduce_scatter");
  auto& terms = detail::UnreducedAccess::terms(u);
  if (terms.empty()) detail::throw_used_up("reduce_scatter");
  const T& shape = terms[0].partials[0]->shape();
  const ShardLayout layout{u.mesh(), Traits::rows(shape), grain};
  const auto numbers = static_cast<std::int64_t>(Traits::flat(shape).size());
  const std::int64_t width = layout.rows == 0 ? 0 : numbers / layout.rows;

  std::vector<std::vector<ExactSums*>> sums(terms[0].partials.size());
  std::vector<double> factors;
  for (auto& term : terms) {
    factors.push_back(term.factor);
    for (std::size_t d = 0; d < sums.size(); ++d) {
      sums[d].push_back(&term.partials[d]->sums());
    }
  }
  const std::vector<double> own = detail::combine_terms(
      label, factors, detail::reduce_scatter_sums(layout, width, label, sums));
  const std::int64_t first = layout.local_range(0).first;
  return make_sharded<T>(layout.mesh, layout.rows, grain,
                         [&](const DeviceContext&, RowRange range) {
                           T rows = Traits::make_like(shape, range.size());
                           auto from = own.begin() + (range.first - first) * width;
                           for (auto& value : Traits::flat(rows)) {
                             value = static_cast<typename Traits::scalar>(*from++);
                           }
                           return rows;
                         });
}

}  // namespace drover
