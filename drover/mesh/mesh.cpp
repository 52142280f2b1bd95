// Meshes over ranks, and which one is current.
#include "drover/mesh/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

std::vector<int> round_robin(int devices, const Communicator& ranks) {
  if (devices < 1) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[mesh] a mesh of {} devices was asked for: expected at least "
                    "one on each rank",
                    devices));
  }
  const std::vector<int> available = available_cores();
  std::vector<int> cores;
  // Ranks that share a machine and were not bound to cores by their launcher would
  // otherwise all start at the same core.
  const auto start =
      static_cast<std::size_t>(ranks.local_rank()) * static_cast<std::size_t>(devices);
  for (std::size_t d = 0; d < static_cast<std::size_t>(devices); ++d) {
    cores.push_back(available[(start + d) % available.size()]);
  }
  return cores;
}

std::vector<int> first_devices(Communicator& ranks, int local) {
  std::vector<int> first{0};
  if (ranks.size() == 1) {
    first.push_back(local);
    return first;
  }
  const std::int64_t own = local;
  const auto bytes = ranks.all_gather(std::as_bytes(std::span(&own, 1)));
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r) {
    std::int64_t count = 0;
    std::memcpy(&count, bytes.data() + r * sizeof count, sizeof count);
    first.push_back(first.back() + static_cast<int>(count));
  }
  return first;
}

}  // namespace

Mesh::State::State(std::vector<int> cores, std::shared_ptr<Communicator> communicator)
    : ranks(std::move(communicator)),
      rank(ranks->rank()),
      pool(std::move(cores)),
      first_of_rank(first_devices(*ranks, pool.size())) {}

Mesh Mesh::cpu(int devices) {
  return cpu(devices, world_communicator());
}
Mesh Mesh::cpu(int devices, std::shared_ptr<Communicator> ranks) {
  std::vector<int> cores = round_robin(devices, *ranks);
  return Mesh(std::make_shared<State>(std::move(cores), std::move(ranks)));
}

Mesh Mesh::all() {
  return all(world_communicator());
}
Mesh Mesh::all(std::shared_ptr<Communicator> ranks) {
  return Mesh(std::make_shared<State>(available_cores(), std::move(ranks)));
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

std::string Mesh::describe() const {
  std::vector<int> cores;
  for (int d = 0; d < local_device_count(); ++d) cores.push_back(core(d));
  std::string text =
      fmt::format("{} CPU device{} on core{} {}", local_device_count(),
                  local_device_count() == 1 ? "" : "s",
                  local_device_count() == 1 ? "" : "s", fmt::join(cores, ", "));
  if (ranks() > 1) {
    text += fmt::format(" (rank {} of {}; {} devices in all)", rank(), ranks(),
                        device_count());
  }
  if (oversubscribed()) text += "; more devices than cores: they take turns";
  return text;
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

MeshScope::MeshScope(Mesh mesh) : before_(std::move(scoped_mesh)) {
  scoped_mesh = std::move(mesh);
}
MeshScope::~MeshScope() {
  scoped_mesh = std::move(before_);
}

void set_default_mesh(Mesh mesh) {
  std::optional<Mesh> old = std::move(mesh);
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
