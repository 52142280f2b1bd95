// A folder of its own for each test, current while the test runs and removed after it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "drover/core/error.hpp"

namespace drover::app {

class InScratch : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string pattern =
        (std::filesystem::temp_directory_path() / "drover-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  std::string folder_;

 private:
  std::filesystem::path before_;
};

// A descriptor that keeps what is written to it.
class Captured {
 public:
  Captured() : fd_(::memfd_create("captured", 0)) {}
  ~Captured() { ::close(fd_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  int descriptor() const { return fd_; }
  std::string text() const {
    const auto size = ::lseek(fd_, 0, SEEK_END);
    std::string all(static_cast<std::size_t>(size), '\0');
    return ::pread(fd_, all.data(), all.size(), 0) == size ? all : "";
  }

 private:
  int fd_;
};

// The text of the error that `call` throws; "no error" when it throws none.
template <typename Call>
std::string error_of(Call&& call, ErrorKind kind = ErrorKind::input) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    return error.what();
  }
  return "no error";
}

}  // namespace drover::app
