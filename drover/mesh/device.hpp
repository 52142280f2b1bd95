// CPU devices: one core each, with one thread that works for it.
//
// A pool of D devices has D - 1 worker threads, pinned round robin to the cores it is
// given; the thread that calls run() works as device 0, pinned to that device's core for
// the time of the call. Waiting is cheap: a bounded spin of some microseconds when every
// device has a core of its own, then sleep in the kernel; with more devices than cores
// nothing spins.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace drover {

// What code that runs on a device may know. No communicator can be reached from here.
struct DeviceContext {
  int index = 0;        // of this device in the mesh, over all ranks
  int count = 1;        // devices of the mesh, over all ranks
  int local_index = 0;  // of this device on its rank
  int core = -1;        // that its thread is pinned to; -1: the system refused to pin
};

// Cores that this process may run on, ascending (its affinity mask).
std::vector<int> available_cores();

// Whether the calling thread is at work for a device; then nothing may communicate.
bool in_device_code();

// Throws Error (logic) when called from device code: "[operation] ... from device code".
void require_host_code(const char* operation);

class DevicePool {
 public:
  // One device for each entry of `cores`; a core may occur more than once.
  explicit DevicePool(std::vector<int> cores);
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  int size() const { return static_cast<int>(cores_.size()); }
  int core(int device) const { return cores_[static_cast<std::size_t>(device)]; }
  // Of each device; -1 where the system refused to pin its thread.
  const std::vector<int>& cores() const { return cores_; }

  // Calls body(device) once for each device, each on its own core, and returns when all
  // have finished. If some threw, the exception of the first of them in device order
  // travels on. Calls from several threads take turns. Errors: logic, when called from
  // device code.
  template <class F>
  void run(F&& body) {
    using Body = std::remove_reference_t<F>;
    run_erased([](void* f, int device) { (*static_cast<Body*>(f))(device); },
               const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

 private:
  using Call = void (*)(void*, int);
  void run_erased(Call call, void* body);
  void work(int device);
  void call_device(int device);
  void start_workers();
  void stop_workers();

  std::vector<int> cores_;
  int spins_ = 0;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> workers_;
  std::mutex turn_;
  Call call_ = nullptr;
  void* body_ = nullptr;
  alignas(64) std::atomic<int> round_{0};    // raised to start the workers
  alignas(64) std::atomic<int> pending_{0};  // workers that have not finished
  alignas(64) std::atomic<bool> stop_{false};
};

}  // namespace drover
