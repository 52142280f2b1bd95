// The smallest program on top of an installed Drover: names the version it is linked with.
#include <cstdio>
#include <drover/core/error.hpp>
#include <drover/core/version.hpp>

int main() {
  const drover::Error error = drover::input_error("none");
  return std::printf("drover %s: %s\n", drover::version(), error.what()) > 0 ? 0 : 1;
}
