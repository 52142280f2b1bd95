// pytc's parameter files: both forms read to the same numbers, written files read back,
// and what is wrong with a file is said with the factor and the array.
#include "drover/app/pytc_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "drover/app/parameters_file.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/chem/read.hpp"
#include "tests/app/program.hpp"

namespace drover::app {
namespace {

std::string data(const std::string& name) {
  return std::string(DROVER_SOURCE_DIR) + "/tests/data/" + name;
}
std::string params(const std::string& name) {
  return data("pytc/H2O_cc-pvdz/params_" + name);
}

const std::vector<std::string> first_terms = {"nuclear-cusp", "boys-handy"};
const std::vector<std::string> second_terms = {"rexp", "pytc-dtn", "neural-ee",
                                               "neural-en", "neural-een"};

PytcLayout layout_of(const std::vector<std::string>& terms, std::string cusp = "pytc") {
  JastrowSettings settings;
  settings.terms.clear();
  for (const std::string& name : terms) settings.terms.push_back(term_named(name));
  settings.cusp = std::move(cusp);
  return pytc_layout(read_wavefunction(data("molden/H2O_cc-pvdz.molden"), {}), settings);
}

std::vector<double> read(const std::string& path, const PytcLayout& layout) {
  return read_parameters(path, layout.parameters, [&] { return layout; });
}

double value(const PytcLayout& layout, const std::vector<double>& values,
             const std::string& name) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (layout.parameters[k].name == name) return values[k];
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

class PytcParameters : public InScratch {};

// From the file itself, by eye.
TEST_F(PytcParameters, NamesMeanWhatPytcMeans) {
  const PytcLayout layout = layout_of(first_terms);
  const std::vector<double> v = read(params("ncusp_bh.hdf5"), layout);
  EXPECT_EQ(value(layout, v, "nuclear-cusp.p4(0)[O]"), 2.644053547431151);
  EXPECT_EQ(value(layout, v, "nuclear-cusp.rc[H]"), 1.0252914088029612);
  EXPECT_EQ(value(layout, v, "boys-handy.b_raw[O]"), 1.3719220948045905);
  EXPECT_EQ(value(layout, v, "boys-handy.d_raw[H]"), 1.316898023713739);
  // the second of the first element; the first is (0,0,1), which is no parameter here
  EXPECT_EQ(value(layout, v, "boys-handy.c[H](0,0,2)"), 0.04067661616445819);
  EXPECT_EQ(value(layout, v, "boys-handy.c[O](2,0,6)"), -0.048832136170379965);
}

TEST_F(PytcParameters, BothFormsHoldTheSameBits) {
  for (const auto& [name, terms] :
       {std::pair{"ncusp_bh", first_terms}, std::pair{"rexp_dtn_neural", second_terms}}) {
    const PytcLayout layout = layout_of(terms);
    const auto hdf5 = read(params(name + std::string(".hdf5")), layout);
    EXPECT_EQ(hdf5, read(params(name + std::string(".json")), layout)) << name;
    EXPECT_EQ(hdf5.size(), layout.parameters.size());
    // The list of dictionaries alone will do.
    const auto whole =
        nlohmann::json::parse(content(params(name + std::string(".json"))));
    write("list.json", whole["params"].dump());
    EXPECT_EQ(hdf5, read("list.json", layout)) << name;
  }
}

TEST_F(PytcParameters, WhatIsWrittenIsReadBackToTheBitAndHasPytcsArrays) {
  for (const auto& [name, terms] :
       {std::pair{"ncusp_bh", first_terms}, std::pair{"rexp_dtn_neural", second_terms}}) {
    const PytcLayout layout = layout_of(terms);
    const std::vector<double> values = read(params(name + std::string(".hdf5")), layout);
    write("out.json", pytc_json(layout, values));
    EXPECT_EQ(read("out.json", layout), values) << name;
    const auto ours = nlohmann::json::parse(content("out.json"));
    auto theirs = nlohmann::json::parse(content(params(name + std::string(".json"))));
    EXPECT_EQ(ours["jastrow_types"], theirs["jastrow_types"]);
    // The same arrays under the same names; numbers differ where pytc keeps one that it
    // never uses.
    const auto names = [](const nlohmann::json& document) {
      std::vector<std::string> all;
      const nlohmann::json flat = document["params"].flatten();
      for (const auto& [path, number] : flat.items()) all.push_back(path);
      return all;
    };
    EXPECT_EQ(names(ours), names(theirs)) << name;
  }
}

TEST_F(PytcParameters, ANumberOutsideOfPytcsRangeIsCutAsPytcDoes) {
  const PytcLayout layout = layout_of(first_terms);
  auto document = nlohmann::json::parse(content(params("ncusp_bh.json")));
  document["params"][0]["rc"][1] = 0.5;
  document["params"][0]["X4"] = {-0.4, 1.9};
  write("wide.json", document.dump());
  const std::vector<double> cut = read("wide.json", layout);
  EXPECT_EQ(value(layout, cut, "nuclear-cusp.rc[O]"), 1.2 / 8);
  // 0.8 and 1.4 of ln(1.1 phi(0)), as pytc 0.2.1 gives them; 2e-8 for its spline.
  EXPECT_NEAR(value(layout, cut, "nuclear-cusp.p4(0)[H]"), -0.2568412615465786, 2e-8);
  EXPECT_NEAR(value(layout, cut, "nuclear-cusp.p4(0)[O]"), 2.058278551747573, 2e-8);
}

TEST_F(PytcParameters, ANumberOutsideOfOurRangeIsRefused) {
  const PytcLayout layout = layout_of(first_terms);
  auto document = nlohmann::json::parse(content(params("ncusp_bh.json")));
  document["params"][1]["b_raw"][1] = 25.0;
  write("wide.json", document.dump());
  const std::string text = error_of([&] { read("wide.json", layout); });
  EXPECT_TRUE(
      has(text,
          "wide.json: the parameter 'boys-handy.b_raw[O]' is 25, allowed is -5 to "
          "20"))
      << text;
}

TEST_F(PytcParameters, WhatDoesNotFitIsNamed) {
  const std::string hdf5 = params("ncusp_bh.hdf5"), json = params("ncusp_bh.json");
  const auto complaint = [&](const std::string& path,
                             const std::vector<std::string>& terms) {
    return error_of([&] { read(path, layout_of(terms)); });
  };
  std::string text = complaint(hdf5, {"boys-handy", "nuclear-cusp"});
  EXPECT_TRUE(has(text,
                  "jastrow_0 (boys-handy): expected the arrays b_raw, c_raw, d_raw, "
                  "found X4, rc"))
      << text;
  text = complaint(json, {"boys-handy", "nuclear-cusp"});
  EXPECT_TRUE(has(text,
                  "jastrow_0 (boys-handy): expected pytc's BoysHandyAnalytical or "
                  "BoysHandy, found NuclearCusp"))
      << text;
  for (const std::string& path : {hdf5, json}) {
    text = complaint(path, {"nuclear-cusp"});
    EXPECT_TRUE(has(text, "has 2 Jastrow factors, jastrow.terms has 1: [nuclear-cusp]"))
        << text;
  }
  text = complaint(json, {"nuclear-cusp", "pade"});
  EXPECT_TRUE(has(text, "pytc has no factor like 'pade'")) << text;
  text = error_of([&] { read(hdf5, layout_of(first_terms, "exact")); });
  EXPECT_TRUE(has(text, "only with jastrow.cusp = \"pytc\", found \"exact\"")) << text;

  // beryllium's file would have one element
  const PytcLayout layout = layout_of(first_terms);
  auto document = nlohmann::json::parse(content(json));
  const auto changed = [&](const std::string& pointer, const nlohmann::json& to) {
    auto copy = document;
    copy[nlohmann::json::json_pointer(pointer)] = to;
    write("changed.json", copy.dump());
    return error_of([&] { read("changed.json", layout); });
  };
  text = changed("/params/1/b_raw", {1.0});
  EXPECT_TRUE(has(text,
                  "changed.json: jastrow_1 (boys-handy): 'b_raw': expected shape "
                  "[2], found shape [1]"))
      << text;
  EXPECT_TRUE(has(changed("/params/1/b_raw/0", "one"), "expected numbers or lists"));
  EXPECT_TRUE(has(changed("/params/1/c_raw/0", {1.0}), "its rows differ in length"));
  EXPECT_TRUE(has(changed("/params/0/alpha", {1.0}), "found X4, alpha, rc"));
  EXPECT_TRUE(has(changed("/params/0", 1.0), "expected a dictionary of named arrays"));
  EXPECT_TRUE(has(changed("/params", 1.0), "expected pytc's \"params\""));
  EXPECT_TRUE(has(changed("/jastrow_types", 1.0), "expected a class name a factor"));

  write("other.json", "{\"x\": 1}");
  text = error_of([&] { read("other.json", layout); });
  EXPECT_TRUE(has(text, "or a parameter file of pytc")) << text;
}

// "net_vars/params/..." as one name reads like the same array, and is not in its place.
TEST_F(PytcParameters, PathsAsNamesAreRefused) {
  const PytcLayout layout = layout_of({"neural-ee"});
  const auto whole = nlohmann::json::parse(content(params("rexp_dtn_neural.json")));
  nlohmann::json factor = whole["params"][2], flat = nlohmann::json::object();
  for (const auto& [layer, arrays] : factor["net_vars"]["params"].items())
    for (const auto& [name, array] : arrays.items())
      flat["net_vars/params/" + layer + "/" + name] = array;
  for (const auto& [name, array] : factor.items())
    if (name != "net_vars") flat[name] = array;
  write("flat.json", nlohmann::json::array({flat}).dump());
  const std::string text = error_of([&] { read("flat.json", layout); });
  EXPECT_TRUE(has(text,
                  "flat.json: jastrow_0 (neural-ee): 'net_vars/params/JastrowDense_0/"
                  "bias': expected dictionaries in dictionaries"))
      << text;
  write("nested.json", nlohmann::json::array({factor}).dump());
  EXPECT_EQ(read("nested.json", layout).size(), layout.parameters.size());
}

TEST_F(PytcParameters, AnotherHdf5FileIsNoParameterFile) {
  const std::string text = error_of(
      [&] { read(data("trexio/H2O_ccecp-ccpvdz/trexio.h5"), layout_of(first_terms)); });
  EXPECT_TRUE(has(text, "num_jastrows: no parameter file of pytc")) << text;
}

// Whatever stands in the pickles beside the arrays: it has no part in what is read.
TEST_F(PytcParameters, PicklesAreNotOpened) {
  const PytcLayout layout = layout_of(second_terms);
  std::string bytes = content(params("rexp_dtn_neural.hdf5"));
  int pickles = 0;
  const std::string type = "PyTreeDef";
  for (std::size_t at; (at = bytes.find(type)) != std::string::npos; ++pickles)
    bytes.replace(at - 40, 120, 120, '.');
  EXPECT_EQ(pickles, 3);
  write("changed.hdf5", bytes);
  EXPECT_EQ(read("changed.hdf5", layout), read(params("rexp_dtn_neural.hdf5"), layout));
}

// Many lengths of each file: an error each.
TEST_F(PytcParameters, TruncatedFilesAreErrorsOrWhole) {
  int whole = 0, refused = 0;
  for (const auto& [name, terms, step] :
       {std::tuple{"ncusp_bh.hdf5", first_terms, 13},
        std::tuple{"ncusp_bh.json", first_terms, 5},
        std::tuple{"rexp_dtn_neural.hdf5", second_terms, 997}}) {
    const PytcLayout layout = layout_of(terms);
    const std::string bytes = content(params(name));
    for (std::size_t n = 0; n < bytes.size(); n += static_cast<std::size_t>(step)) {
      write("cut", bytes.substr(0, n));
      try {
        read("cut", layout);
        ++whole;
      } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::input));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LE(whole, 1);
}

TEST_F(Commands, ExportWritesTheParametersOfARun) {
  const std::vector<std::string> run = {
      "run", "water.toml", "--set", "jastrow.cusp=pytc", "--out", "w"};
  ASSERT_EQ(drover(fake, run).code, 0);
  Outcome o = drover(fake, {"export", "w", "--pytc", "p.json"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "2 parameters of 1 factors: p.json")) << o.out;
  EXPECT_EQ(nlohmann::json::parse(content("p.json")),
            nlohmann::json::parse(
                R"({"jastrow_types": ["Pade"], "params": [{"bc": [-0.5, 0.25, 1.5]}]})"));

  o = drover(fake, {"export", "w", "--pytc", "p.json"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "p.json: is there already; remove it or choose another name"))
      << o.err;
  o = drover(fake, {"export", "nowhere", "--pytc", "q.json"});
  EXPECT_EQ(o.code, 2) << o.err;
  o = drover(fake, {"export", "w"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--pytc")) << o.err;
  // of a run that was stopped: its checkpoint
  fake.stop_after = 2;
  std::vector<std::string> stopped = run;
  stopped.back() = "s";
  ASSERT_EQ(drover(fake, stopped).code, 3);
  EXPECT_EQ(drover(fake, {"export", "s", "--pytc", "s.json"}).code, 0);
  EXPECT_EQ(content("s.json"), content("p.json"));
}

TEST_F(Commands, ParametersOfPytcReachTheRun) {
  write("p.json", R"([{"bc": [3.0, 9.0, 2.0]}])");
  ASSERT_EQ(drover(fake, {"run", "water.toml", "--set", "jastrow.cusp=pytc", "--params",
                          "p.json"})
                .code,
            0);
  EXPECT_EQ(fake.parameters, (std::vector<double>{2.0, 3.0}));
  const Outcome o = drover(fake, {"run", "water.toml", "--params", "p.json"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "not as in pytc")) << o.err;
}

}  // namespace
}  // namespace drover::app
