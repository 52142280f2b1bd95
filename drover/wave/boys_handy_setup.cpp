// boys-handy on the host: the (m,n,o) list sorted into the channels of een_kernel.hpp.
// Parameters: b_raw of every element, c of every element (each term but (0,0,1)), d_raw
// of every element, with b = softplus(b_raw).
#include <algorithm>
#include <array>

#include "drover/core/error.hpp"
#include "drover/core/math.hpp"
#include "drover/wave/term_setup.hpp"

namespace drover::term_setup {

namespace {

using Triple = std::array<int, 3>;

std::string to_text(const Triple& t) {
  return "(" + std::to_string(t[0]) + "," + std::to_string(t[1]) + "," +
         std::to_string(t[2]) + ")";
}

// m >= n, checked against the cusps: no m or n of 1, no o of 1 but (0,0,1).
std::vector<Triple> checked_terms(const std::vector<std::vector<int>>& list) {
  std::vector<Triple> terms;
  const auto refuse = [](const std::string& what) {
    return input_error("jastrow.boys-handy.terms: " + what,
                       {.key = "jastrow.boys-handy.terms"});
  };
  for (const std::vector<int>& entry : list) {
    if (entry.size() != 3)
      throw refuse("each term is three whole numbers [m, n, o], found " +
                   std::to_string(entry.size()));
    Triple t{std::max(entry[0], entry[1]), std::min(entry[0], entry[1]), entry[2]};
    if (t == Triple{0, 0, 0}) throw refuse("(0,0,0) is a constant; leave it out");
    if (t[0] == 1 || t[1] == 1)
      throw refuse(to_text(t) +
                   " would change the electron-nucleus cusp: m and n may not be 1");
    if (t[2] == 1 && t != Triple{0, 0, 1})
      throw refuse(to_text(t) +
                   " would change the electron-electron cusp: o is 1 only in (0,0,1)");
    if (std::find(terms.begin(), terms.end(), t) != terms.end())
      throw refuse(to_text(t) + " is there twice");
    terms.push_back(t);
  }
  if (std::find(terms.begin(), terms.end(), Triple{0, 0, 1}) == terms.end())
    throw refuse("(0,0,1) is missing; it carries the electron-electron cusp");
  return terms;
}

// pytc's list.
const std::vector<std::vector<int>>& default_terms() {
  static const std::vector<std::vector<int>> terms = {
      {0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}, {2, 0, 0}, {3, 0, 0},
      {4, 0, 0}, {2, 2, 0}, {2, 0, 2}, {2, 2, 2}, {4, 0, 2}, {2, 0, 4},
      {4, 2, 2}, {6, 0, 2}, {4, 0, 4}, {2, 2, 4}, {2, 0, 6}};
  return terms;
}

}  // namespace

const std::vector<std::vector<int>>& boys_handy_terms(const TermSettings& settings) {
  const auto given = settings.triples.find("terms");
  return given == settings.triples.end() ? default_terms() : given->second;
}

void check_boys_handy(const TermSettings& settings) {
  checked_terms(boys_handy_terms(settings));
}

void build_boys_handy(TermBuild& build) {
  MolecularTables& t = build.tables;
  const WavePlan& plan = build.plan;
  EenPlan& e = build.plan.een;
  const std::vector<Triple> terms = checked_terms(boys_handy_terms(build.settings));
  e.active = 1;
  e.atoms = plan.atoms;
  e.kinds = static_cast<int>(t.kind_charge.size());
  const double nuclei = plan.atoms;
  e.unlike = build.slope(false) / nuclei;
  e.like = build.slope(true) / nuclei;

  std::vector<Triple> free_terms;  // all but the cusp, in the order given
  for (const Triple& m : terms)
    if (m != Triple{0, 0, 1}) free_terms.push_back(m);
  e.coefficients = static_cast<int>(free_terms.size());
  for (const Triple& m : free_terms) {
    e.max_power = std::max(e.max_power, m[0]);
    if (m[2] > 0 && std::find(e.order, e.order + e.orders, m[2]) == e.order + e.orders)
      e.order[e.orders++] = m[2];
  }
  std::sort(e.order, e.order + e.orders);
  e.max_order = e.orders > 0 ? std::max(2, e.order[e.orders - 1]) : 2;
  e.max_power = std::max(2, e.max_power);
  const auto order_index = [&](int o) {
    return o == 0 ? -1
                  : static_cast<int>(std::find(e.order, e.order + e.orders, o) - e.order);
  };

  std::fill(std::begin(e.pure_parameter), std::end(e.pure_parameter), -1);
  std::vector<std::vector<EenTerm>> plain(static_cast<std::size_t>(e.orders));
  std::vector<std::pair<std::pair<int, int>, std::vector<EenTerm>>>
      channels;  // (order, n)
  for (int k = 0; k < e.coefficients; ++k) {
    const auto [m, n, o] = free_terms[static_cast<std::size_t>(k)];
    if (m == 0) {
      e.pure_parameter[order_index(o)] = k;
    } else if (n == 0 && o == 0) {
      t.body_terms.push_back({m, k});
    } else if (n == 0) {
      plain[static_cast<std::size_t>(order_index(o))].push_back({m, k});
    } else {
      const std::pair<int, int> key{order_index(o), n};
      auto at = std::find_if(channels.begin(), channels.end(),
                             [&](const auto& c) { return c.first == key; });
      if (at == channels.end()) at = channels.insert(channels.end(), {key, {}});
      at->second.push_back({m, k});
    }
  }
  for (std::size_t q = 0; q < plain.size(); ++q) {
    e.plain_first[q] = static_cast<int>(t.plain_terms.size());
    t.plain_terms.insert(t.plain_terms.end(), plain[q].begin(), plain[q].end());
    e.plain_first[q + 1] = static_cast<int>(t.plain_terms.size());
  }
  for (const auto& [key, list] : channels) {
    t.channels.push_back({key.first, key.second, static_cast<int>(t.channel_terms.size()),
                          static_cast<int>(list.size())});
    for (const EenTerm& term : list) {
      t.channel_terms.push_back(term);
      t.channel_weights.push_back(term.m == key.second ? 0.5 : 1.0);
    }
  }

  const auto kinds = static_cast<std::size_t>(e.kinds);
  for (std::size_t k = 0; k < kinds; ++k) {
    t.kind_nuclei.push_back(static_cast<int>(t.nucleus.size()));
    for (int a = 0; a < plan.atoms; ++a)
      if (t.atoms[static_cast<std::size_t>(a)].kind == static_cast<int>(k))
        t.nucleus.push_back(a);
  }
  t.kind_nuclei.push_back(static_cast<int>(t.nucleus.size()));
  t.b.assign(kinds, 0.0);
  t.d.assign(kinds, 0.0);
  t.b_slope.assign(kinds, 0.0);
  t.d_slope.assign(kinds, 0.0);
  t.c.assign(kinds * free_terms.size(), 0.0);

  e.plain_term = t.plain_terms.data();
  e.channels = static_cast<int>(t.channels.size());
  e.channel = t.channels.data();
  e.channel_term = t.channel_terms.data();
  e.channel_weight = t.channel_weights.data();
  e.body_terms = static_cast<int>(t.body_terms.size());
  e.body_term = t.body_terms.data();
  e.b = t.b.data();
  e.d = t.d.data();
  e.c = t.c.data();
  e.b_slope = t.b_slope.data();
  e.d_slope = t.d_slope.data();
  e.kind_nuclei = t.kind_nuclei.data();
  e.nucleus = t.nucleus.data();

  // Ranges start at softplus(1), coefficients at 1e-5, as in pytc.
  const auto name = [&](const char* what, std::size_t kind) {
    return std::string("boys-handy.") + what + "[" + t.kind_symbol[kind] + "]";
  };
  e.b_parameter = build.next_parameter();
  for (std::size_t k = 0; k < kinds; ++k)
    build.parameters.push_back({name("b_raw", k), 1.0, -5.0, 20.0});
  e.c_parameter = build.next_parameter();
  for (std::size_t k = 0; k < kinds; ++k)
    for (const Triple& m : free_terms)
      build.parameters.push_back({name("c", k) + to_text(m), 1e-5, 0.0, 0.0});
  e.d_parameter = build.next_parameter();
  for (std::size_t k = 0; k < kinds; ++k)
    build.parameters.push_back({name("d_raw", k), 1.0, -5.0, 20.0});
}

void set_boys_handy(const std::vector<double>& values, MolecularTables& t,
                    WavePlan& plan) {
  const EenPlan& e = plan.een;
  const auto value = [&](int k) { return values[static_cast<std::size_t>(k)]; };
  for (int k = 0; k < e.kinds; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double raw_b = value(e.b_parameter + k), raw_d = value(e.d_parameter + k);
    t.b[at] = softplus(raw_b);
    t.d[at] = softplus(raw_d);
    t.b_slope[at] = logistic(raw_b);
    t.d_slope[at] = logistic(raw_d);
  }
  for (int k = 0; k < e.kinds * e.coefficients; ++k)
    t.c[static_cast<std::size_t>(k)] = value(e.c_parameter + k);
}

}  // namespace drover::term_setup
