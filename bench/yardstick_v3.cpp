// The yardstick for x86-64-v3; see yardstick.hpp.
#include "yardstick_kernel.hpp"

namespace yardstick {

Kernel kernel_v3(int lanes) {
  if (lanes == 2) return run<2>;
  if (lanes == 4) return run<4>;
  return nullptr;
}

}  // namespace yardstick
