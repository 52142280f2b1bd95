// Helpers of the comparisons with pytc: its arrays as the model's parameters.
#pragma once

#include "drover/wave/pytc_layout.hpp"
#include "one_walker.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {

// |found - expected| <= tolerance max(1, |expected|)
#define EXPECT_CLOSE(found, expected, tolerance) \
  EXPECT_NEAR(found, expected, (tolerance)*std::max(1.0, std::fabs(double(expected))))

// pytc's dictionaries (one a factor) as the model's parameters: the mean of the elements
// that one parameter stands for, or their sum, which is what becomes of derivatives.
enum class Fold { mean, sum };
inline std::vector<double> fold(const PytcLayout& layout, const nlohmann::json& factors,
                                Fold how) {
  std::vector<double> sum(layout.parameters.size()), count(sum);
  for (std::size_t i = 0; i < layout.factors.size(); ++i) {
    const nlohmann::json& dictionary = factors.is_array() ? factors[i] : factors;
    for (const PytcLeaf& leaf : layout.factors[i].leaves) {
      const nlohmann::json flat =
          dictionary.at(nlohmann::json::json_pointer("/" + leaf.name));
      std::vector<double> numbers;
      const auto collect = [&](const auto& self, const nlohmann::json& v) -> void {
        if (v.is_number())
          numbers.push_back(v);
        else
          for (const auto& item : v) self(self, item);
      };
      collect(collect, flat);
      for (std::size_t k = 0; k < leaf.parameter.size(); ++k) {
        if (leaf.parameter[k] < 0) continue;
        sum[static_cast<std::size_t>(leaf.parameter[k])] += numbers.at(k);
        count[static_cast<std::size_t>(leaf.parameter[k])] += 1.0;
      }
    }
  }
  if (how == Fold::mean)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] /= count[k];
  return sum;
}

// [electron][3] flat.
inline std::vector<double> points(const nlohmann::json& positions) {
  std::vector<double> x;
  for (const auto& at : positions)
    for (const double c : at) x.push_back(c);
  return x;
}

}  // namespace drover::testing
