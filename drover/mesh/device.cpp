// Pinned worker threads that wait cheaply, and the rule that device code does not
// communicate.
#include "drover/mesh/device.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <set>

#include "drover/core/error.hpp"

namespace drover {
namespace {

// About 10 microseconds of pauses: longer than the gap between two calls of a busy host,
// shorter than anything a person or a power meter would notice.
constexpr int busy_spins = 400;

thread_local bool working_for_a_device = false;

class DeviceCode {
 public:
  DeviceCode() { working_for_a_device = true; }
  ~DeviceCode() { working_for_a_device = false; }
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;
};

// A set of cores of any size; the fixed cpu_set_t ends at 1024.
class CoreSet {
 public:
  explicit CoreSet(int cores = 8192)
      : set_(CPU_ALLOC(static_cast<std::size_t>(cores))),
        bytes_(CPU_ALLOC_SIZE(static_cast<std::size_t>(cores))),
        cores_(cores) {
    if (set_ == nullptr) throw std::bad_alloc();
    CPU_ZERO_S(bytes_, set_);
  }
  ~CoreSet() { CPU_FREE(set_); }
  CoreSet(const CoreSet&) = delete;
  CoreSet& operator=(const CoreSet&) = delete;

  bool contains(int core) const {
    return CPU_ISSET_S(static_cast<std::size_t>(core), bytes_, set_);
  }
  void assign(int core) {
    CPU_ZERO_S(bytes_, set_);
    CPU_SET_S(static_cast<std::size_t>(core), bytes_, set_);
  }
  bool only(int core) const { return CPU_COUNT_S(bytes_, set_) == 1 && contains(core); }
  bool read_from_thread() { return sched_getaffinity(0, bytes_, set_) == 0; }
  bool give_to_thread() const { return sched_setaffinity(0, bytes_, set_) == 0; }
  int capacity() const { return cores_; }

 private:
  cpu_set_t* set_;
  std::size_t bytes_;
  int cores_;
};

bool pin_this_thread(int core) {
  if (core < 0) return false;
  CoreSet one(std::max(core + 1, 1024));
  one.assign(core);
  return one.give_to_thread();
}

// The caller works as device 0 and gets its own cores back afterwards.
class BorrowedCore {
 public:
  explicit BorrowedCore(int core) {
    if (core < 0 || !before_.read_from_thread()) return;
    before_only_ = before_.only(core);
    if (!before_only_) pinned_ = pin_this_thread(core);
  }
  ~BorrowedCore() {
    if (pinned_) before_.give_to_thread();
  }
  BorrowedCore(const BorrowedCore&) = delete;
  BorrowedCore& operator=(const BorrowedCore&) = delete;
  bool works() const { return pinned_ || before_only_; }

 private:
  CoreSet before_;
  bool before_only_ = false;
  bool pinned_ = false;
};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns the value of `word` once it differs from `old`.
int wait_for_change(const std::atomic<int>& word, int old, int spins) {
  for (int i = 0; i < spins; ++i) {
    const int now = word.load(std::memory_order_acquire);
    if (now != old) return now;
    pause();
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

std::vector<int> available_cores() {
  CoreSet mask;
  std::vector<int> cores;
  if (mask.read_from_thread()) {
    for (int core = 0; core < mask.capacity(); ++core) {
      if (mask.contains(core)) cores.push_back(core);
    }
  }
  if (cores.empty()) cores.push_back(-1);
  return cores;
}

bool in_device_code() {
  return working_for_a_device;
}

void require_host_code(const char* operation) {
  if (!working_for_a_device) return;
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] called from device code: a function that runs on a device "
                  "may not communicate or start other devices; return its partial "
                  "from the map and call {} once, after the map",
                  operation, operation));
}

DevicePool::DevicePool(std::vector<int> cores) : cores_(std::move(cores)) {
  if (cores_.empty()) {
    throw Error(ErrorKind::logic,
                "[mesh] a pool of no devices was asked for: expected at least one core");
  }
  const std::set<int> distinct(cores_.begin(), cores_.end());
  spins_ = distinct.size() < cores_.size() ? 0 : busy_spins;
  failures_.resize(cores_.size());
  if (!BorrowedCore(cores_[0]).works()) cores_[0] = -1;
  start_workers();
}

DevicePool::~DevicePool() {
  stop_workers();
}

void DevicePool::start_workers() {
  const int devices = size();
  pending_.store(devices - 1);
  try {
    for (int device = 1; device < devices; ++device) {
      workers_.emplace_back([this, device] { work(device); });
    }
  } catch (const std::system_error& failure) {
    const std::size_t started = workers_.size() + 1;
    stop_workers();
    throw Error(
        ErrorKind::system,
        fmt::format("[mesh] the system started only {} of {} device threads ({}): "
                    "ask for fewer devices or raise the limit of threads",
                    started, devices, failure.what()));
  }
  // A worker that could not be pinned says so in cores_ before it counts itself ready.
  for (int left = pending_.load(std::memory_order_acquire); left != 0;) {
    left = wait_for_change(pending_, left, 0);
  }
}

void DevicePool::stop_workers() {
  stop_.store(true, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void DevicePool::call_device(int device) {
  const DeviceCode scope;
  try {
    call_(body_, device);
  } catch (...) {
    failures_[static_cast<std::size_t>(device)] = std::current_exception();
  }
}

void DevicePool::work(int device) {
  int& core = cores_[static_cast<std::size_t>(device)];
  if (!pin_this_thread(core)) core = -1;
  int seen = 0;
  const auto finished = [this] {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_all();
  };
  finished();
  while (true) {
    seen = wait_for_change(round_, seen, spins_);
    if (stop_.load(std::memory_order_acquire)) return;
    call_device(device);
    finished();
  }
}

void DevicePool::run_erased(Call call, void* body) {
  require_host_code("map");
  const std::lock_guard<std::mutex> turn(turn_);
  call_ = call;
  body_ = body;
  pending_.store(size() - 1, std::memory_order_relaxed);
  if (!workers_.empty()) {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  {
    const BorrowedCore borrowed(cores_[0]);
    call_device(0);
    for (int left = pending_.load(std::memory_order_acquire); left != 0;) {
      left = wait_for_change(pending_, left, spins_);
    }
  }
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    if (failure && !first) first = failure;
    failure = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace drover
