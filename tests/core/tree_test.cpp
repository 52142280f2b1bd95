// core/array.hpp and core/tree.hpp.
#include "drover/core/tree.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "drover/core/error.hpp"

namespace drover {
namespace {

struct Layer {
  Array<double> weights;
  std::array<float, 2> bias{};
  static constexpr auto fields =
      tree_fields(field("weights", &Layer::weights), field("bias", &Layer::bias));
};

struct Model {
  double scale = 1.0;
  std::vector<Layer> layers;
  Layer last;
  std::vector<std::int64_t> counts;
  PerWalker<Array<double>> positions;
  int not_a_leaf = 0;  // not listed, so not visited
  static constexpr auto fields =
      tree_fields(field("scale", &Model::scale), field("layers", &Model::layers),
                  field("last", &Model::last), field("counts", &Model::counts),
                  field("positions", &Model::positions));
};

static_assert(Tree<Model> && Tree<Layer> && Tree<double> && Tree<std::vector<Layer>>);
static_assert(Tree<std::vector<Array<double>>> && !Leaf<std::vector<Array<double>>>);
static_assert(!Tree<std::string> && !Tree<int*> && !Tree<PerWalker<Layer>>);
static_assert(is_per_walker_v<decltype(Model::positions)>);
static_assert(!is_per_walker_v<decltype(Model::counts)>);
static_assert(std::is_same_v<leaf_number_t<PerWalker<Array<double>>>, double>);
static_assert(std::is_same_v<leaf_number_t<float>, float>);

Model example() {
  Model m;
  m.scale = 2.5;
  m.layers.resize(2);
  for (Layer& l : m.layers) l.weights = Array<double>({2, 3});
  m.layers[1].weights(1, 2) = 7.0;
  m.layers[0].bias = {0.5f, -0.5f};
  m.counts = {4, 5};
  m.positions->resize({3, 2});
  return m;
}

std::vector<std::string> leaf_names(const Model& m) {
  std::vector<std::string> names;
  for_each_leaf(m, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

TEST(Tree, leaves_are_visited_in_order_with_dotted_names) {
  const std::vector<std::string> expected = {
      "scale",         "layers.0.weights", "layers.0.bias", "layers.1.weights",
      "layers.1.bias", "last.weights",     "last.bias",     "counts",
      "positions"};
  EXPECT_EQ(leaf_names(example()), expected);
}

TEST(Tree, whether_a_leaf_is_per_walker_is_in_its_type) {
  int per_walker = 0;
  for_each_leaf(example(), [&](std::string_view name, const auto& leaf) {
    if constexpr (is_per_walker_v<std::remove_cvref_t<decltype(leaf)>>) {
      ++per_walker;
      EXPECT_EQ(name, "positions");
      EXPECT_EQ(leaf_rows(leaf), 3);
      EXPECT_EQ(leaf_row_size(leaf), 2);
    }
  });
  EXPECT_EQ(per_walker, 1);
}

TEST(Tree, leaves_can_be_changed_in_place) {
  Model m = example();
  for_each_leaf(m, [](std::string_view, auto& leaf) {
    for (auto& x : leaf_values(leaf)) x = 1;
  });
  for (double x : flatten(m)) EXPECT_EQ(x, 1.0);
  EXPECT_EQ(m.not_a_leaf, 0);
}

TEST(Tree, flatten_and_unflatten_are_inverse) {
  const Model m = example();
  const std::vector<double> flat = flatten(m);
  EXPECT_EQ(std::int64_t(flat.size()), tree_size(m));
  EXPECT_EQ(flat.size(), 1u + 6 + 2 + 6 + 2 + 0 + 2 + 2 + 6);
  EXPECT_EQ(tree_bytes(m), 8 * (1 + 6 + 6 + 0 + 2 + 6) + 4 * 6);
  std::vector<double> counted(flat.size());
  std::iota(counted.begin(), counted.end(), 0.0);
  Model other = m;
  unflatten(counted, other);
  EXPECT_EQ(flatten(other), counted);
  EXPECT_EQ(other.counts[1], 20);
  counted.pop_back();
  EXPECT_THROW(unflatten(counted, other), Error);
}

TEST(Tree, every_number_has_a_name) {
  const std::vector<std::string> names = number_names(example());
  EXPECT_EQ(std::int64_t(names.size()), tree_size(example()));
  EXPECT_EQ(names[0], "scale");
  EXPECT_EQ(names[1], "layers.0.weights[0]");
  EXPECT_EQ(names.back(), "positions[5]");
}

TEST(Tree, two_trees_are_visited_together_and_must_have_one_structure) {
  Model a = example();
  const Model b = example();
  int leaves = 0;
  for_each_leaf_pair(a, b, [&](std::string_view, auto& x, const auto& y) {
    EXPECT_EQ(leaf_values(x).size(), leaf_values(y).size());
    ++leaves;
  });
  EXPECT_EQ(leaves, 9);
  a.layers.pop_back();
  try {
    for_each_leaf_pair(a, b, [](std::string_view, auto&, const auto&) {});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("\"layers\": 1 and 2"), std::string::npos);
  }
}

TEST(Array, elements_start_at_zero_on_a_cache_line) {
  for (std::int64_t n : {1, 3, 1000}) {
    const Array<double> a({n, 2});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    for (double x : a) EXPECT_EQ(x, 0.0);
  }
}

TEST(Array, the_last_axis_runs_fastest_and_rows_are_slices) {
  Array<int> a({2, 3, 4});
  std::iota(a.begin(), a.end(), 0);
  EXPECT_EQ(a.rank(), 3);
  EXPECT_EQ(a.size(), 24);
  EXPECT_EQ(a(1, 2, 3), 23);
  EXPECT_EQ(a(0, 1, 0), 4);
  EXPECT_EQ(a.rows(), 2);
  EXPECT_EQ(a.row_size(), 12);
  EXPECT_EQ(a.row(1)[0], 12);
  EXPECT_EQ(Array<double>(Array<double>::Shape{}).size(), 1);  // rank 0: a number
  EXPECT_EQ(Array<double>({0, 5}).size(), 0);
  EXPECT_EQ(Array<double>().rows(), 0);
}

TEST(Array, copies_are_values) {
  Array<double> a({2, 2});
  a(0, 1) = 3.0;
  Array<double> b = a;
  EXPECT_TRUE(a == b);
  b(0, 1) = 4.0;
  EXPECT_EQ(a(0, 1), 3.0);
  EXPECT_FALSE(a == b);
  const double values[] = {1.0, 2.0, 3.0};
  EXPECT_EQ(Array<double>({3}, values)[2], 3.0);
  EXPECT_THROW(Array<double>({2}, values), Error);
}

TEST(Array, wrong_indices_and_shapes_are_errors) {
  Array<double> a({2, 3});
  EXPECT_THROW(a(2, 0), Error);
  EXPECT_THROW(a(0, -1), Error);
  EXPECT_THROW(a(0), Error);
  EXPECT_THROW(Array<double>({-1}), Error);
  EXPECT_THROW(Array<double>({1 << 30, 1 << 30, 1 << 30}), Error);
  try {
    a(1, 3);
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[array] index (1, 3) does not fit an array of shape (2, 3)");
  }
}

}  // namespace
}  // namespace drover
