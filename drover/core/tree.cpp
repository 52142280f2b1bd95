// The errors of tree.hpp.
#include "drover/core/tree.hpp"

#include "drover/core/error.hpp"

namespace drover {

void tree_detail::throw_different_length(const std::string& path, std::size_t a,
                                         std::size_t b) {
  throw Error(ErrorKind::logic, "[tree] two trees differ at \"" + path + "\": " +
                                    std::to_string(a) + " and " + std::to_string(b) +
                                    " branches; expected trees of one structure");
}

void throw_wrong_flat_size(std::int64_t expected, std::int64_t found) {
  throw Error(ErrorKind::logic, "[tree] unflatten: expected " + std::to_string(expected) +
                                    " numbers for this tree, found " +
                                    std::to_string(found));
}

}  // namespace drover
