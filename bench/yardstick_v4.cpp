// The yardstick for x86-64-v4; see yardstick.hpp.
#include "yardstick_kernel.hpp"

namespace yardstick {

Kernel kernel_v4(int lanes) {
  if (lanes == 4) return run<4>;
  if (lanes == 8) return run<8>;
  return nullptr;
}

}  // namespace yardstick
