// What a wave function of electrons must obey: exchange, cusps, translation, rotation;
// and what kernels must: a batch is its walkers, lanes and instruction sets do not show.
#include <gtest/gtest.h>

#include <cmath>

#include "jastrow_sums.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

struct SumModel : MolecularModel {
  SumModel(const Molecule& m, const Sum& sum) : MolecularModel(m, settings_of(sum)) {
    set_parameters(perturbed(*this));
  }
};
class WaveFunction : public ::testing::TestWithParam<Sum> {};
class Kernels : public ::testing::TestWithParam<Sum> {};

Molecule water() {
  return read_wavefunction(data_path("molden/H2O_cc-pvdz.molden"), {});
}

TEST_P(WaveFunction, exchange_of_two_like_electrons_flips_the_sign_and_nothing_else) {
  const Molecule m = water();
  const SumModel model(m, GetParam());
  Rows x = sample(model);
  const Evaluation before = evaluate(model, x);
  for (const auto& [i, j] : {std::pair{0, 3}, std::pair{6, 9}}) {
    Rows y = sample(model);
    for (int k = 0; k < 3; ++k)
      for (int w = 0; w < tile_walkers; ++w)
        std::swap(y.at(3 * i + k, w), y.at(3 * j + k, w));
    const Evaluation after = evaluate(model, y);
    for (int w = 0; w < tile_walkers; ++w) {
      EXPECT_EQ(after.sign.at(0, w), -before.sign.at(0, w));
      EXPECT_NEAR(after.log_abs.at(0, w), before.log_abs.at(0, w), 1e-12 * 100);
      EXPECT_NEAR(after.energy(w), before.energy(w),
                  1e-9 * std::max(1.0, std::fabs(before.energy(w))));
    }
  }
}

// Puts electron b at distance r from point (or electron a) along a fixed direction.
void place(Rows& x, int b, const double* center, double r, int w) {
  const double direction[3] = {0.48, -0.6, 0.64};
  for (int k = 0; k < 3; ++k) x.at(3 * b + k, w) = center[k] + r * direction[k];
}

// r12 E_L -> 0 where the slope of u is 1/2 (unlike spins) or 1/4 (like spins): the energy
// stays finite. Without a cusp it grows as 1/r12.
TEST_P(WaveFunction, electrons_that_meet_leave_the_energy_finite) {
  const Molecule m = water();
  const SumModel model(m, GetParam());
  const MolecularModel bare(m, jastrow_of({}));
  for (const int other : {1, 7}) {  // like and unlike spin to electron 0
    Rows x = sample(model);
    for (int w = 0; w < 3; ++w) {
      const double r = std::pow(10.0, -3 - w);
      for (int k = 0; k < x.rows(); ++k) x.at(k, w) = x.at(k, 5);
      const double center[3] = {x.at(0, w), x.at(1, w), x.at(2, w)};
      place(x, other, center, r, w);
    }
    const Evaluation e = evaluate(model, x), none = evaluate(bare, x);
    for (int w = 0; w < 3; ++w) {
      const double r = std::pow(10.0, -3 - w);
      // Like spins meet on a node, where E_L has 1/r12 from the determinant's own
      // curvature cancelled; what is left is a direction-dependent constant.
      EXPECT_LT(std::fabs(r * e.energy(w)), 0.4 * std::pow(0.1, w)) << other << " " << r;
      EXPECT_NEAR(r * none.energy(w), 1.0, 0.4 * std::pow(0.1, w)) << other << " " << r;
    }
  }
}

// r E_L -> 0 with the cusp, -Z without. At r the rest of the energy still counts with r
// times its size: steep Gaussians give oxygen 2400 hartree at the nucleus.
TEST_P(WaveFunction, an_electron_at_a_nucleus_leaves_the_energy_finite) {
  const Molecule m = water();
  const SumModel model(m, GetParam());
  const MolecularModel bare(m, jastrow_of({}));
  for (const std::size_t atom : {std::size_t{0}, std::size_t{1}}) {
    Rows x = sample(model);
    for (int w = 0; w < 3; ++w) {
      for (int k = 0; k < x.rows(); ++k) x.at(k, w) = x.at(k, 5);
      place(x, 0, m.atoms[atom].position.data(), std::pow(10.0, -4 - w), w);
    }
    const Evaluation e = evaluate(model, x), none = evaluate(bare, x);
    const double z = m.atoms[atom].charge;
    for (int w = 0; w < 3; ++w) {
      const double r = std::pow(10.0, -4 - w);
      EXPECT_LT(std::fabs(r * e.energy(w)), 0.5 * std::pow(0.1, w)) << atom << " " << r;
      EXPECT_NEAR(r * none.energy(w), -z, 0.5 * std::pow(0.1, w)) << atom << " " << r;
    }
  }
}

Evaluation moved(const Molecule& m, const Sum& sum, const double (&rotation)[3][3],
                 const double (&shift)[3]) {
  // Atoms are rotated; spherical d functions would need their own rotation, so the basis
  // here has s and p only and the p coefficients turn with the frame.
  Molecule turned = m;
  const auto turn = [&](const double* v, double* out) {
    for (int i = 0; i < 3; ++i) {
      out[i] = 0;
      for (int k = 0; k < 3; ++k) out[i] += rotation[i][k] * v[k];
    }
  };
  for (Atom& a : turned.atoms) {
    double out[3];
    turn(a.position.data(), out);
    for (std::size_t k = 0; k < 3; ++k) a.position[k] = out[k] + shift[k];
  }
  for (auto* orbitals : {&turned.orbitals_up, &turned.orbitals_down}) {
    const auto functions = static_cast<std::size_t>(m.basis.functions);
    for (std::size_t orbital = 0; orbital < orbitals->size() / functions; ++orbital)
      for (const Shell& s : m.basis.shells) {
        EXPECT_LE(s.l, 1);
        if (s.l != 1) continue;
        double* c = orbitals->data() + orbital * functions + s.first_function;
        const double v[3] = {c[1], c[2], c[0]};  // order z, x, y
        double out[3];
        turn(v, out);
        c[0] = out[2];
        c[1] = out[0];
        c[2] = out[1];
      }
  }
  const SumModel model(turned, sum), original(m, sum);
  Rows x = sample(original), y(x.rows());
  for (int w = 0; w < tile_walkers; ++w)
    for (int e = 0; e < original.electrons(); ++e) {
      const double v[3] = {x.at(3 * e, w), x.at(3 * e + 1, w), x.at(3 * e + 2, w)};
      double out[3];
      turn(v, out);
      for (int k = 0; k < 3; ++k) y.at(3 * e + k, w) = out[k] + shift[k];
    }
  return evaluate(model, y);
}

TEST_P(WaveFunction, translation_and_rotation_leave_the_local_energy) {
  const Molecule m = read_wavefunction(data_path("molden/H2O_sto-3g.molden"), {});
  const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, nowhere[3] = {0, 0, 0};
  const Evaluation home = moved(m, GetParam(), one, nowhere);
  const double shift[3] = {0.3, -1.7, 2.2};
  // A rotation by exact numbers: (2/3, -1/3, 2/3) and so on.
  const double turn[3][3] = {{2.0 / 3, -1.0 / 3, 2.0 / 3},
                             {2.0 / 3, 2.0 / 3, -1.0 / 3},
                             {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
  for (const Evaluation& other :
       {moved(m, GetParam(), one, shift), moved(m, GetParam(), turn, shift)})
    for (int w = 0; w < tile_walkers; ++w)
      EXPECT_NEAR(other.energy(w), home.energy(w),
                  1e-9 * std::max(1.0, std::fabs(home.energy(w))));
}

TEST_P(Kernels, batch_is_its_walkers_one_by_one) {
  const Molecule m = water();
  const SumModel model(m, GetParam());
  Rows x = sample(model);
  const Evaluation all = evaluate(model, x);
  for (const int w : {0, 7, 13, 63}) {
    Rows alone(x.rows());
    for (int k = 0; k < x.rows(); ++k)
      for (int v = 0; v < tile_walkers; ++v)
        alone.at(k, v) = v == 0 ? x.at(k, w) : x.at(k, v);
    const Evaluation one = evaluate(model, alone, 1);
    EXPECT_EQ(one.kinetic.at(0, 0), all.kinetic.at(0, w));
    EXPECT_EQ(one.log_abs.at(0, 0), all.log_abs.at(0, w));
    for (int k = 0; k < all.by_parameter.rows(); ++k)
      EXPECT_EQ(one.energy_by_parameter.at(k, 0), all.energy_by_parameter.at(k, w));
  }
}

struct KernelKind {
  InstructionSet set;
  int lanes;
};

TEST_P(Kernels, lanes_two_four_and_eight_on_every_instruction_set_give_the_same_bits) {
  const Molecule m = water();
  const JastrowSettings jastrow = settings_of(GetParam());
  std::vector<KernelKind> kernels = {{InstructionSet::v3, 2}, {InstructionSet::v3, 4}};
  if (cpu_support().v4) {
    kernels.push_back({InstructionSet::v4, 4});
    kernels.push_back({InstructionSet::v4, 8});
  }
  std::vector<double> first;
  for (const KernelKind& kernel : kernels) {
    MolecularModel model(m, jastrow, kernel.set, kernel.lanes);
    model.set_parameters(perturbed(model));
    std::vector<double> all;
    for (const Move move : {Move::one, Move::all, Move::drift}) {
      Rows x(3 * model.electrons());
      model.initial_positions(3, {x.data(), 0, tile_walkers});
      auto scratch = model.make_scratch();
      VisitPlan plan;
      plan.seed = 3;
      plan.sweeps = 10;
      plan.step_size = move == Move::one ? 0.5 : move == Move::all ? 0.05 : 0.15;
      plan.move = move;
      plan.derivatives = plan.logs = true;
      Evaluation e(model);
      TileResult r = result_of(e);
      model.visit(*scratch, plan, {x.data(), 0, 61}, r);
      EXPECT_GT(r.accepted, 0);
      EXPECT_LT(r.accepted, r.proposed);
      all.push_back(static_cast<double>(r.accepted));
      for (Rows* rows : {&x, &e.kinetic, &e.potential, &e.log_abs, &e.gradient,
                         &e.laplacian, &e.by_parameter, &e.energy_by_parameter})
        for (int k = 0; k < rows->rows(); ++k)
          for (int w = 0; w < 61; ++w) all.push_back(rows->at(k, w));
    }
    if (first.empty()) first = all;
    ASSERT_EQ(all.size(), first.size());
    std::int64_t different = 0;
    for (std::size_t k = 0; k < all.size(); ++k) different += all[k] != first[k] ? 1 : 0;
    EXPECT_EQ(different, 0) << name(kernel.set) << " " << kernel.lanes;
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, WaveFunction, ::testing::ValuesIn(sums_with_cusps()),
                         [](const auto& s) { return name_of(s.param); });
INSTANTIATE_TEST_SUITE_P(Sums, Kernels, ::testing::ValuesIn(all_sums()),
                         [](const auto& s) { return name_of(s.param); });

TEST(Terms, a_cutoff_that_is_not_above_zero_is_refused) {
  for (const char* term : {"polynomial", "dtn"}) {
    MolecularModel model(water(), jastrow_of({term}));
    int cutoffs = 0;
    for (std::size_t k = 0; k < model.parameters().size(); ++k) {
      if (model.parameters()[k].name.find("cutoff") == std::string::npos) continue;
      ++cutoffs;
      for (const double length : {0.0, -3.0}) {
        std::vector<double> values;
        for (const ParameterInfo& p : model.parameters()) values.push_back(p.initial);
        values[k] = length;
        try {
          model.set_parameters(values);
          FAIL() << model.parameters()[k].name << " = " << length << " was taken";
        } catch (const Error& e) {
          EXPECT_NE(
              std::string(e.what()).find("parameter " + std::to_string(k) +
                                         " gives a cutoff of " + std::to_string(length)),
              std::string::npos)
              << e.what();
        }
      }
    }
    EXPECT_EQ(cutoffs, std::string(term) == "dtn" ? 5 : 1);
  }
}

TEST(Terms, that_break_a_rule_are_refused_with_words) {
  const Molecule m = water();
  const auto message = [&](const JastrowSettings& s) -> std::string {
    try {
      MolecularModel model(m, s);
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_NE(message(jastrow_of({"boys-handy", "pade"})).find("both carry"),
            std::string::npos);
  EXPECT_NE(message(jastrow_of({"pade", "rexp"})).find("keep one of them"),
            std::string::npos);
  JastrowSettings line = jastrow_of({"dtn", "polynomial"});
  EXPECT_EQ(message(line), "accepted");
  line.terms[1].numbers["degree"] = 1;
  EXPECT_NE(message(line).find("'dtn' and 'polynomial' both carry"), std::string::npos);
  EXPECT_EQ(message(jastrow_of({"pade", "boys-handy"})), "accepted");
  EXPECT_EQ(message(jastrow_of({"rexp", "pade"}, "pytc")), "accepted");
  EXPECT_NE(message(jastrow_of({"boys-hendy"})).find("did you mean 'boys-handy'?"),
            std::string::npos);
  EXPECT_NE(message(jastrow_of({"pade", "pade"})).find("twice"), std::string::npos);
  EXPECT_NE(message(jastrow_of({"nothing"})).find("the terms are"), std::string::npos);
  const auto with_terms = [&](std::vector<std::vector<int>> list) {
    JastrowSettings s = jastrow_of({"boys-handy"});
    s.terms[0].triples["terms"] = std::move(list);
    return message(s);
  };
  EXPECT_NE(with_terms({{0, 0, 1}, {1, 0, 2}}).find("electron-nucleus cusp"),
            std::string::npos);
  EXPECT_NE(with_terms({{0, 0, 1}, {2, 0, 1}}).find("electron-electron cusp"),
            std::string::npos);
  EXPECT_NE(with_terms({{0, 0, 2}}).find("(0,0,1) is missing"), std::string::npos);
  EXPECT_NE(with_terms({{0, 0, 1}, {2, 0, 2}, {0, 2, 2}}).find("twice"),
            std::string::npos);
  EXPECT_NE(with_terms({{0, 0, 1}, {2, 13, 2}}).find("from 0 to 12, found 13"),
            std::string::npos);
  EXPECT_NE(with_terms({{0, 0, 1}, {2, 2}}).find("three whole numbers"),
            std::string::npos);
  EXPECT_EQ(with_terms({{0, 0, 1}, {3, 2, 5}, {2, 2, 0}, {5, 0, 0}, {12, 12, 12}}),
            "accepted");
  JastrowSettings cusp = jastrow_of({"pade"}, "Pytc");
  EXPECT_NE(message(cusp).find("jastrow.cusp: expected \"exact\" or \"pytc\", found"),
            std::string::npos);
}

// Every number of every term, given by a program: just outside is refused with its key,
// on the ends of the range the wave function is built.
TEST(Terms, take_no_setting_that_is_unknown_or_out_of_range) {
  const Molecule m = water();
  const auto message = [&](const JastrowSettings& s) -> std::string {
    try {
      MolecularModel model(m, s);
    } catch (const Error& e) {
      EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(ErrorKind::input));
      return e.where().key + "|" + e.what();
    }
    return "accepted";
  };
  int numbers = 0;
  for (const JastrowTerm& row : jastrow_terms()) {
    const std::string key = "jastrow." + row.name + ".";
    JastrowSettings s = jastrow_of({row.name});
    s.terms[0].numbers["lenght"] = 2;
    EXPECT_NE(message(s).find("no setting 'lenght'"), std::string::npos) << message(s);
    s = jastrow_of({row.name});
    s.terms[0].lists["b"] = {};
    EXPECT_NE(message(s).find("no setting 'b'"), std::string::npos) << message(s);
    s = jastrow_of({row.name});
    s.terms[0].triples["layers"] = {};
    EXPECT_NE(message(s).find("no setting 'layers'"), std::string::npos) << message(s);
    for (const TermSetting& setting : row.settings) {
      using Kind = TermSetting::Kind;
      if (setting.kind == Kind::triples) continue;
      const auto with = [&](double number) {
        JastrowSettings given = jastrow_of({row.name});
        if (setting.kind == Kind::list)
          given.terms[0].lists[setting.name] = {static_cast<int>(number)};
        else
          given.terms[0].numbers[setting.name] = number;
        return message(given);
      };
      ++numbers;
      EXPECT_EQ(with(setting.low), "accepted");
      EXPECT_EQ(with(setting.high), "accepted");
      const bool real = setting.kind == Kind::real;
      for (const double number :
           {setting.low - (real ? 1e-4 : 1.0), setting.high + (real ? 1e-4 : 1.0), 1e9})
        EXPECT_EQ(with(number).find(key + setting.name + "|"), 0u) << with(number);
      if (setting.kind == Kind::whole) {
        EXPECT_NE(with(1.5).find("expected a whole number from"), std::string::npos);
      }
      if (setting.kind != Kind::list) {
        EXPECT_NE(with(std::nan("")).find("found nan"), std::string::npos);
      }
    }
  }
  EXPECT_EQ(numbers, 14);
}

TEST(Terms, take_no_setting_without_effect) {
  const Molecule m = water();
  const auto message = [&](const JastrowSettings& s) -> std::string {
    try {
      MolecularModel model(m, s);
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  const auto with = [&](const char* term, const char* cusp,
                        const std::map<std::string, double>& numbers) {
    JastrowSettings s = jastrow_of({term}, cusp);
    s.terms[0].numbers = numbers;
    return message(s);
  };
  for (const char* name : {"degree", "cutoff"}) {
    EXPECT_EQ(with("polynomial", "exact", {{name, 3}}), "accepted");
    EXPECT_NE(with("polynomial", "pytc", {{name, 3}})
                  .find("jastrow.polynomial." + std::string(name) +
                        ": has no effect with jastrow.cusp = \"pytc\""),
              std::string::npos);
  }
  for (const char* name : {"f_electron", "f_cutoff"}) {
    EXPECT_EQ(with("dtn", "exact", {{name, 3}}), "accepted");
    EXPECT_NE(with("dtn", "exact", {{name, 3}, {"f_nuclear", 0}})
                  .find("has no effect with jastrow.dtn.f_nuclear = 0"),
              std::string::npos);
  }
  EXPECT_NE(with("dtn", "exact", {{"chi_cutoff", 3}, {"chi_order", 0}})
                .find("jastrow.dtn.chi_cutoff: has no effect with jastrow.dtn.chi_order"),
            std::string::npos);
}

}  // namespace
}  // namespace drover::testing
