// The test kernel of core/math.hpp for one instruction set (by the name of this file).
#include "math_kernel_body.hpp"
