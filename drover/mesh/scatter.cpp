// Packing exact sums by the rank that keeps them.
#include "drover/mesh/scatter.hpp"

#include <algorithm>

namespace drover::detail {
namespace {

// Behind the limbs of an ExactSums: outside, nonfinite, and the bound of its sums.
constexpr std::int64_t limbs = 3;

// Appends what `range` of one term's words needs: its limbs, then the tallies.
void append_rows(std::vector<std::int64_t>& packed, std::span<const std::int64_t> words,
                 std::int64_t sums, RowRange values) {
  for (std::int64_t limb = 0; limb < limbs; ++limb) {
    const auto from = words.begin() + limb * sums;
    packed.insert(packed.end(), from + values.first, from + values.last);
  }
  packed.insert(packed.end(), words.begin() + limbs * sums, words.end());
}

}  // namespace

std::vector<ExactSums> reduce_scatter_sums(
    const ShardLayout& layout, std::int64_t width, std::string_view label,
    const std::vector<std::vector<ExactSums*>>& sums) {
  const Mesh& mesh = layout.mesh;
  std::vector<WordSpans> spans(sums.size());
  for (std::size_t d = 0; d < sums.size(); ++d) {
    for (ExactSums* term : sums[d]) spans[d].push_back(term->words());
  }
  sum_devices(mesh, spans);
  const std::size_t terms = sums[0].size();
  const std::int64_t values = layout.rows * width;

  std::vector<std::int64_t> packed;
  std::vector<std::int64_t> counts;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    const RowRange rows = layout.rank_range(rank);
    const std::size_t before = packed.size();
    for (std::size_t t = 0; t < terms; ++t) {
      append_rows(packed, spans[0][t], values, {rows.first * width, rows.last * width});
    }
    counts.push_back(static_cast<std::int64_t>(packed.size() - before));
  }
  const std::vector<std::int64_t> own = reduce_scatter_words(
      mesh, label, values * static_cast<std::int64_t>(terms), counts, std::move(packed));

  std::vector<ExactSums> reduced;
  auto next = own.begin();
  for (std::size_t t = 0; t < terms; ++t) {
    reduced.emplace_back(layout.rank_range(mesh.rank()).size() * width);
    for (std::int64_t& word : reduced.back().words()) word = *next++;
  }
  return reduced;
}

std::vector<double> combine_terms(std::string_view label,
                                  const std::vector<double>& factors,
                                  const std::vector<ExactSums>& terms) {
  std::int64_t nonfinite = 0;
  std::int64_t outside = 0;
  for (const ExactSums& term : terms) {
    nonfinite += term.nonfinite();
    outside += term.outside();
  }
  if (nonfinite != 0 || outside != 0) throw_not_summable(label, nonfinite, outside);
  std::vector<double> values(static_cast<std::size_t>(terms[0].size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    values[i] = factors[0] == 1.0 ? terms[0].value(at) : factors[0] * terms[0].value(at);
    for (std::size_t t = 1; t < terms.size(); ++t) {
      values[i] += factors[t] * terms[t].value(at);
    }
  }
  return values;
}

}  // namespace drover::detail
