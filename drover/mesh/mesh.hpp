// The mesh: an ordered list of devices with one named axis, "walkers", over all ranks.
//
// In a run of several ranks it is the concatenation of every rank's devices. A mesh is a
// handle, cheap to copy; the devices end with the last copy. The current mesh is a scope:
//   auto scope = use_mesh(Mesh::cpu(4));   // until the end of the block, on this thread
// and falls back on the process default that set_default_mesh() names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drover/mesh/communicator.hpp"
#include "drover/mesh/device.hpp"
#include "drover/mesh/ledger.hpp"
#include "drover/mesh/places.hpp"

namespace drover {

class Mesh {
 public:
  // `devices` on each rank, round robin over its cores (places.hpp says which are whose).
  // Without a communicator: that of the process. Making a mesh is collective. Errors:
  // logic for fewer than one device, system when threads cannot start.
  static Mesh cpu(int devices);
  static Mesh cpu(int devices, std::shared_ptr<Communicator> ranks);
  // A device on every core that each rank may run on; ranks of one machine that may use
  // the same cores divide them.
  static Mesh all();
  static Mesh all(std::shared_ptr<Communicator> ranks);
  // One device on each of these cores of this rank. Errors: input for a core that is not
  // available.
  static Mesh on_cores(std::vector<int> cores);
  static Mesh on_cores(std::vector<int> cores, std::shared_ptr<Communicator> ranks);

  // Copied, never moved from: a mesh always has devices.
  Mesh(const Mesh&) = default;
  Mesh& operator=(const Mesh&) = default;

  bool is_multi_device() const { return device_count() > 1; }
  int device_count() const { return state_->first_of_rank.back(); }
  int local_device_count() const { return state_->pool.size(); }
  int first_local_device() const { return state_->first_of_rank[size_t(rank())]; }
  // The first device of a rank; of rank ranks(): the number of all devices.
  int first_device_of_rank(int rank) const { return state_->first_of_rank[size_t(rank)]; }
  int rank() const { return state_->rank; }
  int ranks() const { return static_cast<int>(state_->first_of_rank.size()) - 1; }
  const std::string& axis() const { return state_->axis; }
  int core(int local_device) const { return state_->pool.core(local_device); }
  // Where every rank's devices run; describe_places() and crowding() put it in words.
  const std::vector<RankPlace>& places() const { return state_->places; }
  DeviceContext context(int local_device) const;

  Ledger& ledger() const { return state_->ledger; }
  // Errors: logic, from device code.
  Communicator& communicator() const;

  // Calls f(const DeviceContext&) once for each device of this rank, each on its own
  // core; returns when all are done; rethrows the first exception in device order.
  template <class F>
  void for_each_device(F&& f) const {
    const std::shared_ptr<State> alive = state_;
    alive->pool.run([&](int local) { f(context(local)); });
  }

  // The same devices, not merely as many.
  friend bool operator==(const Mesh& a, const Mesh& b) { return a.state_ == b.state_; }

 private:
  struct State {
    State(std::vector<int> cores, std::shared_ptr<Communicator> communicator);
    std::string axis = "walkers";
    std::shared_ptr<Communicator> ranks;
    int rank;
    DevicePool pool;
    std::vector<RankPlace> places;
    std::vector<int> first_of_rank;
    Ledger ledger;
  };
  explicit Mesh(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static std::size_t size_t(int i) { return static_cast<std::size_t>(i); }
  std::shared_ptr<State> state_;
};

// Restores the mesh that was current before, on every exit from the block. Belongs to the
// thread that made it.
class [[nodiscard]] MeshScope {
 public:
  explicit MeshScope(const Mesh& mesh);
  ~MeshScope();
  MeshScope(const MeshScope&) = delete;
  MeshScope& operator=(const MeshScope&) = delete;

 private:
  std::optional<Mesh> before_;
};

// Makes a mesh current on this thread for as long as the returned scope lives.
inline MeshScope use_mesh(const Mesh& mesh) {
  return MeshScope(mesh);
}

// The mesh of every thread of the process that has no scope of its own.
void set_default_mesh(const Mesh& mesh);
void clear_default_mesh();

bool has_current_mesh();
// Errors: logic, "[operation] no current mesh: ..." or when called from device code.
Mesh current_mesh(const char* operation = "mesh");

// for_each_device of the current mesh.
template <class F>
void for_each_device(F&& f) {
  current_mesh("for_each_device").for_each_device(std::forward<F>(f));
}

}  // namespace drover
