// Recording models: what is refused, what is shared, what is never executed, what it
// costs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "drover/ad/dual.hpp"
#include "drover/core/counting.hpp"
#include "tests/ad/models.hpp"

namespace drover {
namespace {

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::logic);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}
void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

const Array<double> vectors({4, 3}), matrices({4, 2, 3});
const std::tuple<> nothing;

TEST(Recording, refuses_shapes_that_do_not_fit_and_names_the_operation) {
  expect_in("[elementwise] shapes (2) and (3)", message_of([] {
              record([](auto, auto x) { return sum(slice(x, 0, 2) + x); }, nothing,
                     vectors);
            }));
  expect_in("[determinant] needs a square matrix, found shape (2 x 3)", message_of([] {
              record([](auto, auto x) { return log_abs_determinant(x); }, nothing,
                     matrices);
            }));
  expect_in("[element] index 3", message_of([] {
              record([](auto, auto x) { return x[3]; }, nothing, vectors);
            }));
  expect_in(
      "[record]", message_of([] {
        record([](auto, auto x) { return sum(x); }, nothing, Array<double>({4, 2, 2, 2}));
      }));
}

TEST(Recording, refuses_values_of_two_recordings_and_a_laplacian_of_a_laplacian) {
  expect_in("two different recordings", message_of([] {
              tape::Tape a, b;
              Traced x(a, a.input(tape::scalar_shape())),
                  y(b, b.input(tape::scalar_shape()));
              return x + y;
            }));
  expect_in("[forward]", message_of([] {
              const auto energy = [](const auto& r) {
                return forward_laplacian([](const auto& q) { return exp(sum(q * q)); }, r)
                    .laplacian;
              };
              record([&](auto, auto x) { return forward_laplacian(energy, x).laplacian; },
                     nothing, vectors);
            }));
}

TEST(Recording, refuses_arguments_with_different_numbers_of_rows) {
  const auto model = [](auto, auto x) { return sum(x.first) + sum(x.second); };
  expect_in("4 and with 5 rows", message_of([&] {
              evaluate(model, nothing, std::pair(vectors, Array<double>({5, 2})));
            }));
}

TEST(Recording, keeps_equal_operations_once_and_executes_only_what_is_read) {
  const auto twice = [](auto, auto x) { return sum(exp(x)) + sum(exp(x)); };
  const auto unread = [](auto, auto x) {
    const auto wasted = exp(log(square(x)));
    (void)wasted;
    return sum(x);
  };
  const auto work = [](const auto& model) {
    Recorded recorded = record(model, nothing, vectors);
    std::vector<double> value(4);
    Recorded::Call call{.value = value.data()};
    call.inputs = leaves::bind_rows(vectors, call.rows);
    return recorded.evaluate(call).elementwise;
  };
  EXPECT_EQ(work(twice), 4 * (3 + 1 + 1));  // exp, sum, addition
  EXPECT_EQ(work(unread), 4);               // the sum
}

TEST(Recording, takes_memory_that_does_not_grow_with_the_rows) {
  const auto p = test::NeuralJastrow::params();
  const auto run = [&](int rows) {
    const auto x = test::NeuralJastrow::samples(rows);
    const std::vector<double> cotangents(std::size_t(rows), 1.0);
    Recorded recorded = record(test::NeuralJastrow{}, p, x);
    auto sum = p;
    value_and_pullback(recorded, p, x, cotangents, accumulate(sum), skip);
    return recorded.working_bytes();
  };
  EXPECT_EQ(run(200), run(2000));
  EXPECT_LT(run(2000), 2 << 20);
}

TEST(Recording, of_no_rows_is_legal) {
  const auto p = test::FermiNet::params();
  const Array<double> x({0, 4, 3});
  auto v = vjp(test::FermiNet{}, p, x);
  EXPECT_EQ(v.value.size(), 0);
  const auto g = v.pullback(std::vector<double>{}, give, give);
  for (const double sum : leaves::flat(g.params)) EXPECT_EQ(sum, 0.0);
  EXPECT_EQ(g.x.size(), 0);
}

TEST(Counting, counts_what_the_forward_laplacian_adds_to_a_function) {
  const auto r2 = [](const auto& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; };
  std::array<Counting, 3> x = {Counting(0.1), Counting(0.2), Counting(0.3)};
  const auto plain = count_operations([&] { r2(x); });
  EXPECT_EQ(plain.multiply, 3);
  EXPECT_EQ(plain.add, 2);
  const auto variables = coordinates<3>(x);
  const auto forward = count_operations([&] {
    const auto y = exp(sqrt(r2(variables)));
    EXPECT_NEAR(y.value.v, 1.4537780777, 1e-9);  // exp(sqrt(0.14))
  });
  EXPECT_GT(forward.flops(), plain.flops());
  EXPECT_EQ(forward.exp, 1);
  EXPECT_EQ(forward.square_root, 1);
  using D = Dual<Counting, 1>;
  EXPECT_EQ((D::variable(Counting(3.0), 0) * 2.0).derivative[0].v, 2.0);
}

}  // namespace
}  // namespace drover
