// Files that are either whole or not there: written beside their place, flushed to the
// disk and renamed. Whatever happens in between, the old file stays as it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drover::app {

// Error(system) naming the path and the system's reason (disk full, no permission); the
// temporary file is removed then.
void write_whole_file(const std::string& path, std::string_view bytes);

// The whole content of a regular file. Error(input) when it cannot be read or is none.
std::vector<char> read_whole_file(const std::string& path);

// 32 hexadecimal digits that stand for a file's bytes, or for the names and the bytes of
// all files under a folder. Error(input) when one cannot be read.
std::string content_digest(const std::string& path);

// Adds to the end of a file, closing it again. False, with the reason, when that failed.
bool append_to_file(const std::string& path, std::string_view bytes, std::string& reason);

}  // namespace drover::app
