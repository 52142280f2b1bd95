// Files named by the user must be regular ones: a pipe without a writer would wait for
// ever, a device may never end, and neither can be read twice or by several ranks.
#pragma once

#include <string>

namespace drover {

// Throws Error (input) that names the path and what is there instead: a pipe, a device or
// a socket. A folder or nothing at all is left to whoever opens the file.
void require_regular_file(const std::string& path);

}  // namespace drover
