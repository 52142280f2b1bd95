// Meshes over ranks, and which one is current.
#include "drover/mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drover/core/error.hpp"

namespace drover {
namespace {

thread_local std::optional<Mesh> scoped_mesh;

struct DefaultMesh {
  std::mutex mutex;
  std::optional<Mesh> mesh;
};
DefaultMesh& default_mesh() {
  // Never destroyed: threads of the last mesh may outlive the order of static
  // destructors.
  static auto* const instance = new DefaultMesh;
  return *instance;
}

std::vector<int> first_devices(const std::vector<RankPlace>& places) {
  std::vector<int> first{0};
  for (const RankPlace& place : places)
    first.push_back(first.back() + static_cast<int>(place.cores.size()));
  return first;
}

}  // namespace

Mesh::State::State(std::vector<int> cores, std::shared_ptr<Communicator> communicator)
    : ranks(std::move(communicator)),
      rank(ranks->rank()),
      pool(std::move(cores)),
      places(all_places(*ranks, pool.cores())),
      first_of_rank(first_devices(places)) {}

Mesh Mesh::cpu(int devices) {
  return cpu(devices, world_communicator());
}
Mesh Mesh::cpu(int devices, std::shared_ptr<Communicator> ranks) {
  if (devices < 1) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[mesh] a mesh of {} devices was asked for: expected at least "
                    "one on each rank",
                    devices));
  }
  std::vector<int> cores = choose_cores(all_places(*ranks, {}), ranks->rank(), devices);
  return Mesh(std::make_shared<State>(std::move(cores), std::move(ranks)));
}

Mesh Mesh::all() {
  return all(world_communicator());
}
Mesh Mesh::all(std::shared_ptr<Communicator> ranks) {
  std::vector<int> cores = choose_cores(all_places(*ranks, {}), ranks->rank(), 0);
  return Mesh(std::make_shared<State>(std::move(cores), std::move(ranks)));
}

Mesh Mesh::on_cores(std::vector<int> cores) {
  return on_cores(std::move(cores), world_communicator());
}
Mesh Mesh::on_cores(std::vector<int> cores, std::shared_ptr<Communicator> ranks) {
  const std::vector<int> available = available_cores();
  for (const int core : cores) {
    if (std::find(available.begin(), available.end(), core) == available.end()) {
      throw Error(ErrorKind::input,
                  fmt::format("[mesh] core {} is not one that this process may run on: "
                              "expected some of {}",
                              core, fmt::join(available, ", ")));
    }
  }
  return Mesh(std::make_shared<State>(std::move(cores), std::move(ranks)));
}

DeviceContext Mesh::context(int local_device) const {
  DeviceContext device;
  device.index = first_local_device() + local_device;
  device.count = device_count();
  device.local_index = local_device;
  device.core = core(local_device);
  return device;
}

Communicator& Mesh::communicator() const {
  require_host_code("communicator");
  return *state_->ranks;
}

MeshScope::MeshScope(const Mesh& mesh) : before_(std::move(scoped_mesh)) {
  scoped_mesh = mesh;
}
MeshScope::~MeshScope() {
  scoped_mesh = std::move(before_);
}

void set_default_mesh(const Mesh& mesh) {
  std::optional<Mesh> old = mesh;
  DefaultMesh& fallback = default_mesh();
  const std::lock_guard<std::mutex> lock(fallback.mutex);
  std::swap(fallback.mesh, old);
}

void clear_default_mesh() {
  std::optional<Mesh> old;
  DefaultMesh& fallback = default_mesh();
  const std::lock_guard<std::mutex> lock(fallback.mutex);
  std::swap(fallback.mesh, old);
}

bool has_current_mesh() {
  if (scoped_mesh) return true;
  DefaultMesh& fallback = default_mesh();
  const std::lock_guard<std::mutex> lock(fallback.mutex);
  return fallback.mesh.has_value();
}

Mesh current_mesh(const char* operation) {
  require_host_code(operation);
  if (scoped_mesh) return *scoped_mesh;
  DefaultMesh& fallback = default_mesh();
  const std::lock_guard<std::mutex> lock(fallback.mutex);
  if (fallback.mesh) return *fallback.mesh;
  throw Error(ErrorKind::logic,
              fmt::format("[{}] no current mesh: expected a scope, `auto scope = "
                          "use_mesh(Mesh::cpu(4));`, alive on this thread, or a process "
                          "default from set_default_mesh(mesh)",
                          operation));
}

}  // namespace drover
