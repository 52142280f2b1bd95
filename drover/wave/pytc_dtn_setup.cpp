// pytc-dtn on the host: the factor that pytc calls DTN, with its default terms.
//
//   u   = (1 - r/L)^3 sum_(o=1..9) c_o r^o, c_1 the slope at coalescence,
//   chi = (1 - r/L_I)^3 sum_(k=2..9) c_k r^k,
//   f   = (1 - r_i/L_I)^3 (1 - r_j/L_I)^3 sum c_nlm r_ij^n (r_i^l r_j^m + r_i^m r_j^l)
// (once for l = m), all zero beyond L = 8 logistic(raw). Source: pytc 0.2.1,
// pytc/jastrow/dtn.py. pytc shares chi out over pairs by a factor 1/(N - 1); the sum over
// electrons is chi itself. Parameters in pytc's order: rc_en_raw of every element,
// rc_ee_raw, c_ee (but the first), c_en and c_een element by element.
#include <array>

#include "drover/core/math.hpp"
#include "drover/wave/term_setup.hpp"
#include "drover/wave/truncated_setup.hpp"

namespace drover::term_setup {

namespace {

constexpr int highest = 9;       // power in u and chi
constexpr double longest = 8.0;  // bohr; the largest cutoff
constexpr int lowest_f = 2;      // power of any distance in f
constexpr std::array<std::array<int, 3>, 13> f_terms = {{{2, 4, 2},
                                                         {3, 2, 2},
                                                         {3, 3, 2},
                                                         {3, 3, 3},
                                                         {3, 4, 2},
                                                         {3, 4, 3},
                                                         {3, 4, 4},
                                                         {4, 2, 2},
                                                         {4, 3, 2},
                                                         {4, 3, 3},
                                                         {4, 4, 2},
                                                         {4, 4, 3},
                                                         {4, 4, 4}}};  // n, l, m

}  // namespace

void build_pytc_dtn(TermBuild& build) {
  TruncatedTables& t = build.tables.pytc_dtn;
  t.first_parameter = build.next_parameter();
  t.unlike = build.slope(false);
  t.like = build.slope(true);
  const auto& symbols = build.tables.kind_symbol;
  shape_truncated({highest + 1, highest + 1, {2, 3, 4}, {2, 3, 4}},
                  static_cast<int>(symbols.size()), t, build.plan.pytc_dtn);
  const auto add = [&](const std::string& name, double start, double low, double high) {
    build.parameters.push_back({"pytc-dtn." + name, start, low, high});
  };
  const auto powers = [](int n, int l, int m) {
    return "(" + std::to_string(n) + "," + std::to_string(l) + "," + std::to_string(m) +
           ")";
  };
  for (const std::string& symbol : symbols) add("rc_en_raw[" + symbol + "]", 0, -4, 8);
  add("rc_ee_raw", 0, -4, 8);
  for (int k = 2; k <= highest; ++k) add("c_ee(" + std::to_string(k) + ")", 1e-5, 0, 0);
  for (const std::string& symbol : symbols)
    for (int k = 2; k <= highest; ++k)
      add("c_en[" + symbol + "](" + std::to_string(k) + ")", 1e-5, 0, 0);
  for (const std::string& symbol : symbols)
    for (const auto& [n, l, m] : f_terms)
      add("c_een[" + symbol + "]" + powers(n, l, m), 1e-5, 0, 0);
}

void set_pytc_dtn(const std::vector<double>& values, MolecularTables& tables,
                  WavePlan& plan) {
  TruncatedTables& t = tables.pytc_dtn;
  TruncatedWriter write(t, plan.pytc_dtn);
  const int kinds = static_cast<int>(tables.kind_charge.size());
  const auto value = [&](int k) { return values[static_cast<std::size_t>(k)]; };
  const auto cutoff = [&](int k) { return longest * logistic(value(k)); };
  const auto slope = [&](int k) { return cutoff(k) * (1.0 - cutoff(k) / longest); };
  int next = t.first_parameter;
  for (int kind = 0; kind < kinds; ++kind, ++next) {
    write.chi_cutoff(kind, cutoff(next), {next, slope(next)});
    write.f_cutoff(kind, cutoff(next), {next, slope(next)});
  }
  write.u_cutoff(cutoff(next), {next, slope(next)});
  ++next;
  for (const bool like : {false, true}) {
    write.u(like, 1, like ? t.like : t.unlike, {});
    for (int k = 2; k <= highest; ++k)
      write.u(like, k, value(next + k - 2), {{next + k - 2, 1.0}});
  }
  next += highest - 1;
  for (int kind = 0; kind < kinds; ++kind)
    for (int k = 2; k <= highest; ++k, ++next)
      write.chi(kind, k, value(next), {{next, 1.0}});
  for (int kind = 0; kind < kinds; ++kind)
    for (const auto& [n, l, m] : f_terms) {
      write.f(kind, l - lowest_f, m - lowest_f, n - lowest_f, value(next), {{next, 1.0}});
      ++next;
    }
}

}  // namespace drover::term_setup
