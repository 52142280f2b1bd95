// A run's folder: input.toml (the resolved input), a copy of the wave function, log.txt,
// checkpoint.h5 while it runs and run.h5 when it is done.
//
// No file is held open between writes and each is whole or not there, so that a run that
// is killed at any moment leaves only readable files. The folder itself is locked
// (flock), so that no two programs write into it; the lock ends with the program, however
// it ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "drover/app/input.hpp"
#include "drover/vmc/run.hpp"

namespace drover::app {

class RunFolder {
 public:
  // Makes the folder `out`, or, without one, the input's name and the next free number in
  // the current folder. Error(input) where it exists and is not empty, or cannot be made
  // in that place. Whatever fails leaves nothing behind.
  static RunFolder create(const Input& input, const std::optional<std::string>& out);
  // The folder of an earlier run. Error(input) where it is none, or another Drover is at
  // work in it. `writes`: false for ranks that only read; they take no lock.
  static RunFolder open(const std::string& path, bool writes = true);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }
  // The input as it stands in input.toml; its wave function is the folder's own copy.
  const Settings& settings() const { return settings_; }

  bool finished() const;
  bool has_checkpoint() const;
  std::string checkpoint_path() const;
  // The contents of run.h5 (run_contents.hpp).
  Checkpoint finished_contents() const;

  // The last checkpoint; none where the run was killed before its first. Error(input)
  // where it is damaged, or where input.toml was changed in a key that must stay, or the
  // wave function was.
  std::optional<Checkpoint> checkpoint() const;

  // Replaces checkpoint.h5. Error(system) where it cannot be written; the old one stays.
  void save(const Checkpoint& state) const;
  // Writes run.h5.
  void finish(const RunRecord& record) const;
  // Removes what create() made: of a run that was refused before it began.
  void discard() const;
  // A line of log.txt with the time before it. "" or why it could not be written.
  std::string log(std::string_view line) const;

 private:
  RunFolder(std::string path, bool lock);
  void fill(const Input& input);
  std::string file(const char* name) const { return path_ + "/" + name; }

  std::string path_;
  std::string input_;          // the text of input.toml
  std::string wave_function_;  // content_digest() of the wave function
  Settings settings_;
  bool made_ = false;  // the folder itself is ours, not an empty one that was there
  int lock_ = -1;
};

// The state of the run in `folder` for run.start_from: of run.h5, or of checkpoint.h5.
Checkpoint state_of_run(const std::string& folder);

}  // namespace drover::app
