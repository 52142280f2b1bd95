#include "drover/core/error.hpp"

namespace drover {

Error input_error(const std::string& message, ErrorWhere where) {
  std::string text;
  if (!where.file.empty()) {
    text = where.file;
    if (where.line >= 0) text += ":" + std::to_string(where.line);
    text += ": ";
  }
  return Error(ErrorKind::input, text + message, std::move(where));
}

}  // namespace drover
