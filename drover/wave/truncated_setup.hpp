// What polynomial, dtn and pytc-dtn share on the host: the shape of a TruncatedPlan,
// where its raw derivatives stand, and how values and links to parameters are written.
#pragma once

#include <vector>

#include "drover/wave/molecular_tables.hpp"
#include "drover/wave/plan.hpp"

namespace drover::term_setup {

struct TruncatedShape {
  int u_terms = 0, chi_terms = 0;     // powers from 0 on
  std::vector<int> f_power, f_order;  // l (and m), n
};

// Sizes tables and plan, everything zero.
void shape_truncated(const TruncatedShape& shape, int kinds, TruncatedTables& tables,
                     TruncatedPlan& plan);

// Writes the values of one setting of the parameters; each value comes with its
// derivatives by parameters. Errors: logic, for a cutoff that is not above 0.
class TruncatedWriter {
 public:
  TruncatedWriter(TruncatedTables& tables, TruncatedPlan& plan) : t_(tables), p_(plan) {
    t_.links.clear();
  }
  // Hands the links to the plan.
  ~TruncatedWriter();
  TruncatedWriter(const TruncatedWriter&) = delete;
  TruncatedWriter& operator=(const TruncatedWriter&) = delete;

  struct By {
    int parameter;
    double derivative;
  };
  void u_cutoff(double value, By by);
  // c_k of unlike or like spins.
  void u(bool like, int k, double value, const std::vector<By>& by);
  void chi_cutoff(int kind, double value, By by);
  void chi(int kind, int k, double value, const std::vector<By>& by);
  void f_cutoff(int kind, double value, By by);
  // gamma of the l-th and m-th power (l >= m) and the n-th order, and its mirror image.
  void f(int kind, int l, int m, int n, double value, const std::vector<By>& by);

 private:
  void link(int raw, const std::vector<By>& by);
  double checked_cutoff(double value, By by) const;

  TruncatedTables& t_;
  TruncatedPlan& p_;
};

}  // namespace drover::term_setup
