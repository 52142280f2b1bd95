// The errors of vjp_sum.
#include "drover/vmc/vjp_sum.hpp"

namespace drover::vjp_sums {
namespace {

[[noreturn]] void fail(std::string_view label, const std::string& what) {
  throw Error(ErrorKind::logic, "[" + std::string(label) + "] " + what);
}

}  // namespace

void throw_cotangents(std::string_view label, int device, std::int64_t rows,
                      std::int64_t numbers, std::int64_t found) {
  fail(label, "cotangents of device " + std::to_string(device) + ": expected " +
                  std::to_string(rows) + " samples times " + std::to_string(numbers) +
                  " numbers, found " + std::to_string(found) +
                  " numbers; give one for each number of the model's value");
}

void throw_gradient_size(std::string_view label, std::int64_t expected,
                         std::int64_t found) {
  fail(label, "the buffer for the gradient has room for " + std::to_string(found) +
                  " numbers: expected the " + std::to_string(expected) +
                  " of the weights; make it in their shape");
}

void throw_integer_weights(std::string_view label) {
  fail(label,
       "the weights hold integers, in which nothing can be differentiated: give them to "
       "the model by capture, or as floating numbers");
}

void throw_no_field(std::string_view label) {
  fail(label,
       "the part that the gradient is added to is no field of its struct: expected a "
       "member that its tree_fields list");
}

}  // namespace drover::vjp_sums
