// How electrons move: one at a time, all at once, or all along the drift of ln|psi|.
#pragma once

namespace drover {

enum class Move { one, all, drift };

}  // namespace drover
