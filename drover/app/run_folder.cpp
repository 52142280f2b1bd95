#include "drover/app/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "drover/app/hdf5_file.hpp"
#include "drover/app/run_contents.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"
#include "drover/core/version.hpp"

namespace drover::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* input_file = "input.toml";
constexpr const char* checkpoint_file = "checkpoint.h5";
constexpr const char* run_file = "run.h5";
constexpr const char* log_file = "log.txt";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::input, path + ": " + what, {path, -1, "", -1, ""});
}

[[noreturn]] void fail(const std::string& path, const std::string& what,
                       const std::error_code& reason) {
  throw Error(ErrorKind::system, path + ": " + what + ": " + reason.message(),
              {path, -1, "", -1, ""});
}

// A full disk is nobody's mistake; any other reason says that the place is wrong.
[[noreturn]] void cannot_make(const std::string& path, const std::error_code& reason) {
  if (reason == std::errc::no_space_on_device || reason.value() == EDQUOT)
    fail(path, "the run's folder cannot be made", reason);
  refuse(path, fmt::format("the run's folder cannot be made: {}; give another place "
                           "with --out",
                           reason.message()));
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// The number behind "name-" of an earlier run's folder; 0 for other names.
long number_behind(const std::string& folder, const std::string& name) {
  if (folder.rfind(name + "-", 0) != 0) return 0;
  const char* begin = folder.data() + name.size() + 1;
  const char* end = folder.data() + folder.size();
  long number = 0;
  const auto [rest, error] = std::from_chars(begin, end, number);
  return error == std::errc() && rest == end && number > 0 ? number : 0;
}

// Numbers go up, also past folders that were deleted: an old name never means a new run.
std::string make_numbered(const std::string& name) {
  long number = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(".", error))
    number = std::max(number, number_behind(entry.path().filename().string(), name));
  while (true) {  // another program may take the number first
    std::string path = fmt::format("{}-{}", name, ++number);
    if (fs::create_directory(path, error)) return path;
    if (error) cannot_make(path, error);
  }
}

void require_no_run(const std::string& path) {
  if (is_there(fs::path(path) / input_file))
    refuse(path, fmt::format("holds a run already; to go on with it: drover resume {}; "
                             "for a new run give another folder with --out",
                             path));
}

void make_named(const std::string& path) {
  std::error_code error;
  require_no_run(path);
  if (is_there(path)) {
    if (!fs::is_directory(path, error))
      refuse(path, "is a file; give a new folder with --out");
    if (!fs::is_empty(path, error))
      refuse(path,
             "exists and is not empty, but is not a run's folder; give another folder "
             "with --out");
    return;
  }
  if (fs::is_symlink(fs::symlink_status(path, error)))
    refuse(path,
           "is a symbolic link to a folder that is not there; make that folder, or "
           "give another one with --out");
  fs::create_directories(path, error);
  if (error) cannot_make(path, error);
}

int lock_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    refuse(path, "another drover is at work in this folder; wait for it, or stop it");
  }
  return fd;  // a file system without locks is used without one
}

// Copies a file that the run needs into its folder; the path in it.
std::string take_along(const std::string& source, const std::string& folder) {
  std::string name = fs::path(source).filename().string();
  if (name.empty()) name = fs::path(source).parent_path().filename().string();
  for (const char* own : {input_file, checkpoint_file, run_file, log_file})
    if (name == own) name = "given-" + name;
  if (is_there(fs::path(folder) / name)) name = "parameters-" + name;
  std::error_code error;
  fs::copy(source, fs::path(folder) / name, fs::copy_options::recursive, error);
  if (!error) return name;
  const std::string what = "cannot be copied into the run's folder " + folder;
  if (error == std::errc::no_space_on_device || error.value() == EDQUOT)
    fail(source, what, error);
  refuse(source, what + ": " + error.message());
}

InputOrigin origin_of(const std::string& folder) {
  return {folder + "/" + input_file, true, folder};
}

}  // namespace

RunFolder::RunFolder(std::string path, bool lock) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  if (lock) lock_ = lock_folder(path_);
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)),
      input_(std::move(other.input_)),
      wave_function_(std::move(other.wave_function_)),
      settings_(std::move(other.settings_)),
      made_(other.made_),
      lock_(std::exchange(other.lock_, -1)) {}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

RunFolder RunFolder::create(const Input& input, const std::optional<std::string>& out) {
  const bool was_there = out && is_there(*out);
  if (out) make_named(*out);
  RunFolder folder(out ? *out : make_numbered(input.name), true);
  folder.made_ = !was_there;
  // Another program may have used the folder between the first look and the lock.
  if (out) require_no_run(folder.path_);
  try {
    folder.fill(input);
  } catch (...) {
    folder.discard();  // half a folder could neither be resumed nor used again
    throw;
  }
  return folder;
}

void RunFolder::fill(const Input& input) {
  Settings settings = input.settings;
  settings.wavefunction = take_along(settings.wavefunction, path_);
  if (settings.jastrow.parameters != "none")
    settings.jastrow.parameters = take_along(settings.jastrow.parameters, path_);
  input_ =
      fmt::format("# Made by drover {} from {}.\n", version(), toml_quoted(input.file)) +
      print_settings(settings);
  settings_ = parse_settings(input_, origin_of(path_));
  wave_function_ = content_digest(settings_.wavefunction);
  // Last: a folder with this file has everything that a run needs to start over.
  write_whole_file(file(input_file), input_);
}

RunFolder RunFolder::open(const std::string& path, bool writes) {
  if (!is_there(path)) refuse(path, "there is no such folder");
  std::error_code error;
  if (!fs::is_directory(path, error))
    refuse(path, "is a file; expected the folder of an earlier run");
  if (!is_there(fs::path(path) / input_file))
    refuse(path,
           "has no input.toml: it is not a run's folder, or its run was killed before it "
           "began; start one with drover run");
  RunFolder folder(path, writes);
  const std::vector<char> bytes = read_whole_file(folder.file(input_file));
  folder.input_.assign(bytes.begin(), bytes.end());
  folder.settings_ = parse_settings(folder.input_, origin_of(folder.path_));
  const std::string& wave_function = folder.settings_.wavefunction;
  if (!folder.finished() && !is_there(wave_function))
    refuse(wave_function, "the run's wave function is gone; put the file back");
  if (!folder.finished()) folder.wave_function_ = content_digest(wave_function);
  return folder;
}

bool RunFolder::has_checkpoint() const {
  return is_there(file(checkpoint_file));
}

std::string RunFolder::checkpoint_path() const {
  return file(checkpoint_file);
}

bool RunFolder::finished() const {
  return is_there(file(run_file));
}

Checkpoint RunFolder::finished_contents() const {
  return read_hdf5_file(file(run_file));
}

std::optional<Checkpoint> RunFolder::checkpoint() const {
  const std::string path = file(checkpoint_file);
  if (!is_there(path)) return std::nullopt;
  Checkpoint state = read_hdf5_file(path);
  const Settings then = parse_settings(state.text("app/input"), origin_of(path_));
  const std::string change = forbidden_change(then, settings_);
  if (!change.empty())
    refuse(file(input_file),
           "was changed since the checkpoint: " + change +
               "; a run that goes on needs the same: put the old value back, or start a "
               "new run");
  const CheckpointEntry* digest = state.find("app/wave_function");
  if (digest != nullptr && state.text("app/wave_function") != wave_function_)
    refuse(settings_.wavefunction,
           "was changed since the checkpoint; a run that goes on needs the same wave "
           "function: put the old file back, or start a new run");
  return state;
}

void RunFolder::save(const Checkpoint& state) const {
  Checkpoint contents;
  contents.add("app/version", std::string(version()));
  contents.add("app/input", input_);
  contents.add("app/wave_function", wave_function_);
  for (const CheckpointEntry& entry : state.entries())
    if (entry.name.rfind("app/", 0) != 0) contents.add(entry);
  write_hdf5_file(file(checkpoint_file), contents);
}

void RunFolder::finish(const RunRecord& record) const {
  write_hdf5_file(file(run_file), run_contents(record, input_));
}

void RunFolder::discard() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    fs::remove_all(entry.path(), ignored);
  if (made_) fs::remove(path_, ignored);
}

std::string RunFolder::log(std::string_view line) const {
  std::array<char, 32> stamp{};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::strftime(stamp.data(), stamp.size(), "%Y-%m-%d %H:%M:%S", &local);
  std::string reason;
  append_to_file(file(log_file), fmt::format("{}  {}\n", stamp.data(), line), reason);
  return reason;
}

Checkpoint state_of_run(const std::string& folder) {
  if (is_there(fs::path(folder) / run_file))
    return state_from(read_hdf5_file(folder + "/" + run_file));
  if (is_there(fs::path(folder) / checkpoint_file))
    return read_hdf5_file(folder + "/" + checkpoint_file);
  refuse(folder, "has neither run.h5 nor checkpoint.h5: no run to start from");
}

}  // namespace drover::app
