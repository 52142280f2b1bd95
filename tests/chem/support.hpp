// What the tests of this room share: data folders, files written on the spot, error
// messages.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "drover/chem/read.hpp"
#include "drover/core/error.hpp"

namespace drover {

inline std::string data_path(const std::string& name) {
  return std::string(DROVER_SOURCE_DIR) + "/tests/data/" + name;
}

inline std::string slurp(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(slurp(path));
}

// A file of this process in the temporary folder, removed at the end of its scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text, const std::string& name = "test.molden")
      : path_(std::filesystem::temp_directory_path() /
              (std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// The message with which reading the text as a file fails; a test failure when it is
// read.
inline std::string refusal(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  try {
    read_wavefunction(file.path(), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_EQ(error.where().file, file.path());
    return error.what();
  }
  ADD_FAILURE() << "the file was accepted";
  return {};
}

inline Molecule accepted(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  return read_wavefunction(file.path(), options);
}

}  // namespace drover
