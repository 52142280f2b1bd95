// dtn on the host: the Jastrow factor of Drummond, Towler and Needs, PRB 70, 235119
// (2004), with C = 3 and lengths in units of the cutoffs, x = r/L, so that coefficients
// have no unit and the constraints do not depend on L:
//
//   u   = (1 - x)^3 sum_k alpha_k x^k,  alpha_1 = L u'(0) + 3 alpha_0, for unlike and for
//         like spins; one L_u
//   chi = (1 - x)^3 sum_k beta_k x^k,   beta_1 = L chi'(0) + 3 beta_0, for every element
//   f   = (1 - x_i)^3 (1 - x_j)^3 sum_lmn gamma_lmn x_i^l x_j^m x_ij^n, for every
//   element;
//         gamma_lmn = gamma_mln. No cusps:
//         where electrons meet   sum_(l+m=k) gamma_lm1 = 0 for every k,
//         at the nucleus         sum_(m+n=k) (3 gamma_0mn - gamma_1mn) = 0 for every k.
// chi'(0) is -Z when no nuclear-cusp term is in the list and 0 otherwise. The gamma that
// remain free after elimination are the parameters.
#include <algorithm>
#include <cmath>

#include "drover/wave/term_setup.hpp"
#include "drover/wave/truncated_setup.hpp"

namespace drover::term_setup {

namespace {

using By = TruncatedWriter::By;

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

struct Gamma {
  int l, m, n;  // l >= m
};

std::vector<Gamma> all_gammas(int powers, int orders) {
  std::vector<Gamma> all;
  for (int l = 0; l < powers; ++l)
    for (int m = 0; m <= l; ++m)
      for (int n = 0; n < orders; ++n) all.push_back({l, m, n});
  return all;
}

// The constraints, a row each, on the gammas in the order of `all`.
std::vector<std::vector<double>> no_cusps(const std::vector<Gamma>& all) {
  std::vector<std::vector<double>> rows;
  const auto row = [&](int constraint) -> std::vector<double>& {
    while (static_cast<int>(rows.size()) <= constraint)
      rows.emplace_back(all.size(), 0.0);
    return rows[at(constraint)];
  };
  for (std::size_t g = 0; g < all.size(); ++g) {
    const int l = all[g].l, m = all[g].m, n = all[g].n;
    if (n == 1) row(2 * (l + m))[g] += l == m ? 1.0 : 2.0;
    // Each of l and m may be that of the electron at the nucleus.
    const auto nuclear = [&](int first, int other) {
      if (first == 0) row(2 * (other + n) + 1)[g] += 3.0;
      if (first == 1) row(2 * (other + n) + 1)[g] -= 1.0;
    };
    nuclear(l, m);
    if (l != m) nuclear(m, l);
  }
  return rows;
}

struct Elimination {
  std::vector<std::size_t> free;             // indices of the free gammas
  std::vector<std::vector<double>> by_free;  // [gamma][free]: all from the free ones
};

// Gauss and Jordan. Gammas with a first power in them are eliminated before others.
Elimination eliminate(const std::vector<Gamma>& all) {
  std::vector<std::vector<double>> rows = no_cusps(all);
  std::vector<std::size_t> columns;
  for (const bool first_power : {true, false})
    for (std::size_t g = 0; g < all.size(); ++g)
      if ((all[g].l == 1 || all[g].m == 1 || all[g].n == 1) == first_power)
        columns.push_back(g);
  std::vector<std::size_t> pivot_column;
  for (const std::size_t g : columns) {
    const std::size_t r = pivot_column.size();
    if (r == rows.size()) break;
    const auto best = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(r), rows.end(),
        [g](const auto& a, const auto& b) { return std::abs(a[g]) < std::abs(b[g]); });
    if (std::abs((*best)[g]) < 1e-9) continue;  // entries are small whole numbers
    std::swap(rows[r], *best);
    for (std::size_t k = all.size(); k-- > 0;)
      if (k != g) rows[r][k] /= rows[r][g];
    rows[r][g] = 1.0;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      const double factor = rows[other][g];
      if (other == r || factor == 0.0) continue;
      for (std::size_t k = 0; k < all.size(); ++k) rows[other][k] -= factor * rows[r][k];
    }
    pivot_column.push_back(g);
  }
  const auto pivot_of = [&](std::size_t g) {
    return std::find(pivot_column.begin(), pivot_column.end(), g) - pivot_column.begin();
  };
  const auto pivots = static_cast<std::ptrdiff_t>(pivot_column.size());
  Elimination e;
  for (std::size_t g = 0; g < all.size(); ++g)
    if (pivot_of(g) == pivots) e.free.push_back(g);
  e.by_free.assign(all.size(), std::vector<double>(e.free.size(), 0.0));
  for (std::size_t q = 0; q < e.free.size(); ++q) {
    e.by_free[e.free[q]][q] = 1.0;
    for (std::size_t r = 0; r < pivot_column.size(); ++r)
      if (std::abs(rows[r][e.free[q]]) > 1e-9)
        e.by_free[pivot_column[r]][q] = -rows[r][e.free[q]];
  }
  return e;
}

std::vector<int> from_zero(int count) {
  std::vector<int> list(at(count));
  for (int k = 0; k < count; ++k) list[at(k)] = k;
  return list;
}

// c_0 .. of a radial part whose parameters are L, then alpha_0, alpha_2, alpha_3, ...;
// write(k, value, derivatives).
template <class Write>
void radial_part(const std::vector<double>& values, int cutoff, int first, int terms,
                 double slope, const Write& write) {
  const double length = values[at(cutoff)], alpha0 = values[at(first)];
  write(0, alpha0, std::vector<By>{{first, 1.0}});
  write(1, slope + 3.0 * alpha0 / length,
        std::vector<By>{{first, 3.0 / length},
                        {cutoff, -3.0 * alpha0 / (length * length)}});
  double unit = 1.0 / length;
  for (int k = 2; k < terms; ++k) {
    unit /= length;
    const int parameter = first + k - 1;
    const double c = values[at(parameter)] * unit;
    write(k, c, std::vector<By>{{parameter, unit}, {cutoff, -k * c / length}});
  }
}

}  // namespace

void build_dtn(TermBuild& build) {
  TruncatedTables& t = build.tables.dtn;
  t.first_parameter = build.next_parameter();
  t.unlike = build.slope(false);
  t.like = build.slope(true);
  TruncatedShape shape;
  shape.u_terms = build.whole("u_order") + 1;
  shape.chi_terms = build.whole("chi_order") == 0 ? 0 : build.whole("chi_order") + 1;
  if (build.whole("f_nuclear") > 0) {
    shape.f_power = from_zero(build.whole("f_nuclear") + 1);
    shape.f_order = from_zero(build.whole("f_electron") + 1);
  }
  const std::vector<Gamma> gammas = all_gammas(static_cast<int>(shape.f_power.size()),
                                               static_cast<int>(shape.f_order.size()));
  const Elimination elimination = eliminate(gammas);
  t.elimination = elimination.by_free;
  if (elimination.free.empty()) shape.f_power = shape.f_order = {};  // no f is left
  const auto& symbols = build.tables.kind_symbol;
  shape_truncated(shape, static_cast<int>(symbols.size()), t, build.plan.dtn);

  // Ranges stay within a factor of four of their start.
  const auto add_cutoff = [&](const std::string& name, double start) {
    build.parameters.push_back({"dtn." + name, start, start / 4, start * 4});
  };
  const auto add = [&](const std::string& name, const std::string& index) {
    build.parameters.push_back({"dtn." + name + "(" + index + ")", 0.0, 0.0, 0.0});
  };
  const auto add_powers = [&](const std::string& name, int terms) {
    for (int k = 0; k < terms; ++k)
      if (k != 1) add(name, std::to_string(k));
  };
  add_cutoff("u_cutoff", build.number("u_cutoff"));
  add_powers("u_unlike", shape.u_terms);
  add_powers("u_like", shape.u_terms);
  for (std::size_t kind = 0; kind < symbols.size() && shape.chi_terms > 0; ++kind) {
    const double z = build.tables.kind_charge[kind];
    const bool cusp = !build.nuclear_cusp && z > 0.0;
    t.chi_slope.push_back(cusp ? -z : 0.0);
    // With a slope of -Z a long range would pull every electron in, unless it was asked
    // for.
    const double start = build.number("chi_cutoff");
    add_cutoff("chi_cutoff[" + symbols[kind] + "]",
               cusp && !build.is_given("chi_cutoff") ? std::min(start, 2.0 / z) : start);
    add_powers("chi[" + symbols[kind] + "]", shape.chi_terms);
  }
  if (shape.f_power.empty()) return;
  for (const std::string& symbol : symbols) {
    add_cutoff("f_cutoff[" + symbol + "]", build.number("f_cutoff"));
    for (const std::size_t g : elimination.free)
      add("f[" + symbol + "]", std::to_string(gammas[g].l) + "," +
                                   std::to_string(gammas[g].m) + "," +
                                   std::to_string(gammas[g].n));
  }
}

void set_dtn(const std::vector<double>& values, MolecularTables& tables, WavePlan& plan) {
  TruncatedTables& t = tables.dtn;
  const TruncatedPlan& p = plan.dtn;
  TruncatedWriter write(t, plan.dtn);
  const int kinds = static_cast<int>(tables.kind_charge.size());
  int next = t.first_parameter;
  const int u_cutoff = next++;
  write.u_cutoff(values[at(u_cutoff)], {u_cutoff, 1.0});
  for (const bool like : {false, true}) {
    radial_part(
        values, u_cutoff, next, p.u_terms, like ? t.like : t.unlike,
        [&](int k, double c, const std::vector<By>& by) { write.u(like, k, c, by); });
    next += p.u_terms - 1;
  }
  for (int kind = 0; kind < kinds && p.chi_terms > 0; ++kind) {
    const int cutoff = next++;
    write.chi_cutoff(kind, values[at(cutoff)], {cutoff, 1.0});
    radial_part(
        values, cutoff, next, p.chi_terms, t.chi_slope[at(kind)],
        [&](int k, double c, const std::vector<By>& by) { write.chi(kind, k, c, by); });
    next += p.chi_terms - 1;
  }
  const std::vector<Gamma> gammas = all_gammas(p.f_powers, p.f_orders);
  for (int kind = 0; kind < kinds && p.f_powers > 0; ++kind) {
    const int cutoff = next++;
    const double length = values[at(cutoff)];
    write.f_cutoff(kind, length, {cutoff, 1.0});
    for (std::size_t g = 0; g < gammas.size(); ++g) {
      const auto [l, m, n] = gammas[g];
      double unit = 1.0;
      for (int k = 0; k < l + m + n; ++k) unit /= length;
      double gamma = 0.0;
      std::vector<By> by;
      for (std::size_t q = 0; q < t.elimination[g].size(); ++q) {
        const int parameter = next + static_cast<int>(q);
        gamma += t.elimination[g][q] * unit * values[at(parameter)];
        by.push_back({parameter, t.elimination[g][q] * unit});
      }
      by.push_back({cutoff, -(l + m + n) * gamma / length});
      write.f(kind, l, m, n, gamma, by);
    }
    next += static_cast<int>(t.elimination.front().size());
  }
}

}  // namespace drover::term_setup
