// polynomial on the host: u = (1 - r/L)^3 Theta(L - r) sum_k c_k r^k, k from 1 on, with
// c_1 the slope at coalescence. Parameters: L and c_2 to the highest power. pytc's Poly
// (cusp = "pytc") is u = c_1 r, without a cutoff, and c_1 its parameter.
#include <limits>

#include "drover/wave/term_setup.hpp"
#include "drover/wave/truncated_setup.hpp"

namespace drover::term_setup {

void build_polynomial(TermBuild& build) {
  TruncatedTables& t = build.tables.polynomial;
  t.first_parameter = build.next_parameter();
  t.unlike = build.slope(false);
  t.like = build.slope(true);
  TruncatedShape shape;
  shape.u_terms = build.pytc ? 2 : build.whole("degree") + 1;
  shape_truncated(shape, static_cast<int>(build.tables.kind_charge.size()), t,
                  build.plan.polynomial);
  t.is_pytc = build.pytc;
  if (build.pytc) {
    build.parameters.push_back({"polynomial.c(1)", 0.5, 0.0, 0.0});
    return;
  }
  const double cutoff = build.number("cutoff");
  build.parameters.push_back({"polynomial.cutoff", cutoff, cutoff / 4, cutoff * 4});
  for (int k = 2; k < shape.u_terms; ++k)
    build.parameters.push_back(
        {"polynomial.c(" + std::to_string(k) + ")", 0.0, 0.0, 0.0});
}

void set_polynomial(const std::vector<double>& values, MolecularTables& tables,
                    WavePlan& plan) {
  TruncatedTables& t = tables.polynomial;
  TruncatedWriter write(t, plan.polynomial);
  const int first = t.first_parameter;
  const auto value = [&](int k) { return values[static_cast<std::size_t>(k)]; };
  if (t.is_pytc) {
    plan.polynomial.u_cutoff = std::numeric_limits<double>::infinity();
    for (const bool like : {false, true}) write.u(like, 1, value(first), {{first, 1.0}});
    return;
  }
  write.u_cutoff(value(first), {first, 1.0});
  for (const bool like : {false, true}) {
    write.u(like, 1, like ? t.like : t.unlike, {});
    for (int k = 2; k < plan.polynomial.u_terms; ++k)
      write.u(like, k, value(first + k - 1), {{first + k - 1, 1.0}});
  }
}

}  // namespace drover::term_setup
