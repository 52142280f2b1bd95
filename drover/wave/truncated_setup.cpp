#include "drover/wave/truncated_setup.hpp"

#include <algorithm>
#include <string>

#include "drover/core/error.hpp"

namespace drover::term_setup {

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

}  // namespace

void shape_truncated(const TruncatedShape& shape, int kinds, TruncatedTables& t,
                     TruncatedPlan& p) {
  p.active = 1;
  p.u_terms = shape.u_terms;
  p.chi_terms = shape.chi_terms;
  p.f_powers = static_cast<int>(shape.f_power.size());
  p.f_orders = static_cast<int>(shape.f_order.size());
  std::copy(shape.f_power.begin(), shape.f_power.end(), p.f_power);
  std::copy(shape.f_order.begin(), shape.f_order.end(), p.f_order);
  if (p.f_powers > 0) {
    p.f_highest = *std::max_element(shape.f_power.begin(), shape.f_power.end());
    p.f_highest_order = *std::max_element(shape.f_order.begin(), shape.f_order.end());
  }
  t.u.assign(at(2 * p.u_terms), 0.0);
  t.chi.assign(at(kinds * p.chi_terms), 0.0);
  t.chi_cutoff.assign(at(kinds), 0.0);
  t.f.assign(at(kinds * p.f_powers * p.f_powers * p.f_orders), 0.0);
  t.f_cutoff.assign(at(kinds), 0.0);
  p.u = t.u.data();
  p.chi = t.chi.data();
  p.chi_cutoff = t.chi_cutoff.data();
  p.f = t.f.data();
  p.f_cutoff = t.f_cutoff.data();
  p.chi_raw = 1 + 2 * p.u_terms;
  p.f_raw_first = p.chi_raw + kinds * (p.chi_terms + 1);
  p.f_raw = 1 + p.f_powers * (p.f_powers + 1) / 2 * p.f_orders;
  p.raw = p.f_raw_first + kinds * p.f_raw;
}

TruncatedWriter::~TruncatedWriter() {
  p_.links = static_cast<int>(t_.links.size());
  p_.link = t_.links.data();
}

void TruncatedWriter::link(int raw, const std::vector<By>& by) {
  for (const By& b : by)
    if (b.derivative != 0.0) t_.links.push_back({raw, b.parameter, b.derivative});
}

double TruncatedWriter::checked_cutoff(double value, By by) const {
  if (value > 0.0) return value;
  throw Error(ErrorKind::logic, "[set_parameters] parameter " +
                                    std::to_string(by.parameter) + " gives a cutoff of " +
                                    std::to_string(value) +
                                    " bohr; expected one above 0");
}

void TruncatedWriter::u_cutoff(double value, By by) {
  p_.u_cutoff = checked_cutoff(value, by);
  link(0, {by});
}

void TruncatedWriter::u(bool like, int k, double value, const std::vector<By>& by) {
  const int index = (like ? p_.u_terms : 0) + k;
  t_.u[at(index)] = value;
  link(1 + index, by);
}

void TruncatedWriter::chi_cutoff(int kind, double value, By by) {
  t_.chi_cutoff[at(kind)] = checked_cutoff(value, by);
  link(p_.chi_raw + kind * (p_.chi_terms + 1), {by});
}

void TruncatedWriter::chi(int kind, int k, double value, const std::vector<By>& by) {
  t_.chi[at(kind * p_.chi_terms + k)] = value;
  link(p_.chi_raw + kind * (p_.chi_terms + 1) + 1 + k, by);
}

void TruncatedWriter::f_cutoff(int kind, double value, By by) {
  t_.f_cutoff[at(kind)] = checked_cutoff(value, by);
  link(p_.f_raw_first + kind * p_.f_raw, {by});
}

void TruncatedWriter::f(int kind, int l, int m, int n, double value,
                        const std::vector<By>& by) {
  const auto index = [&](int a, int b) {
    return at(((kind * p_.f_powers + a) * p_.f_powers + b) * p_.f_orders + n);
  };
  t_.f[index(l, m)] = t_.f[index(m, l)] = value;
  link(p_.f_raw_first + kind * p_.f_raw + 1 + (l * (l + 1) / 2 + m) * p_.f_orders + n,
       by);
}

}  // namespace drover::term_setup
