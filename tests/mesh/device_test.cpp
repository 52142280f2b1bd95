// Devices: one core each, exceptions that travel back, no communication from device code.
#include "drover/mesh/device.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <set>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"

namespace drover {
namespace {

TEST(Devices, each_run_once_on_the_core_they_are_pinned_to) {
  const Mesh mesh = Mesh::cpu(3);
  std::vector<int> calls(3);
  mesh.for_each_device([&](const DeviceContext& device) {
    ++calls[std::size_t(device.local_index)];
    EXPECT_EQ(device.index, device.local_index);
    EXPECT_EQ(device.count, 3);
    if (device.core >= 0) {
      EXPECT_EQ(sched_getcpu(), device.core);
    }
  });
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 1}));
}

TEST(Devices, give_the_calling_thread_its_own_cores_back) {
  const std::vector<int> before = available_cores();
  Mesh::cpu(2).for_each_device([](const DeviceContext&) {});
  EXPECT_EQ(available_cores(), before);
}

TEST(Devices, hand_back_the_first_exception_in_device_order_when_all_have_finished) {
  const Mesh mesh = Mesh::cpu(4);
  std::atomic<int> finished = 0;
  try {
    mesh.for_each_device([&](const DeviceContext& device) {
      // The earlier device fails later.
      std::this_thread::sleep_for(std::chrono::milliseconds(20 - 5 * device.index));
      ++finished;
      if (device.index >= 1) {
        throw Error(ErrorKind::numerical, "device " + std::to_string(device.index));
      }
    });
    FAIL() << "no exception came back";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "device 1");
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
  }
  EXPECT_EQ(finished, 4);
  mesh.for_each_device([&](const DeviceContext&) { ++finished; });
  EXPECT_EQ(finished, 8) << "the devices must be usable after a failure";
}

TEST(Devices, may_not_start_devices_or_communicate) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const Mesh mesh = current_mesh();
  const auto refused = [&](auto&& operation) {
    try {
      mesh.for_each_device([&](const DeviceContext&) { operation(); });
    } catch (const Error& error) {
      const bool said =
          std::string(error.what()).find("from device code") != std::string::npos;
      return said && error.kind() == ErrorKind::logic;
    }
    return false;
  };
  const auto partials = make_unreduced(mesh, [] { return 0.0; });
  const auto rows = shard(std::vector<double>(4));
  EXPECT_TRUE(refused([&] { mesh.for_each_device([](const DeviceContext&) {}); }));
  EXPECT_TRUE(refused([&] { current_mesh(); }));
  EXPECT_TRUE(refused([&] { mesh.communicator(); }));
  EXPECT_TRUE(refused([&] { reduce(partials); }));
  EXPECT_TRUE(refused([&] { all_gather(rows); }));
  EXPECT_TRUE(refused([&] { gather(rows); }));
  EXPECT_TRUE(refused([&] {
    map(
        {}, [](double v) { return v; }, rows);
  }));
  EXPECT_FALSE(in_device_code());
}

TEST(Devices, take_turns_when_several_threads_use_them) {
  const Mesh mesh = Mesh::cpu(2);
  std::array<std::int64_t, 2> sum{};  // unguarded: two runs at once would be a race
  const auto use = [&] {
    for (int i = 0; i < 500; ++i) {
      mesh.for_each_device([&](const DeviceContext& d) { ++sum[std::size_t(d.index)]; });
    }
  };
  std::thread other(use);
  use();
  other.join();
  EXPECT_EQ(sum[0], 1000);
  EXPECT_EQ(sum[1], 1000);
}

TEST(Devices, on_more_threads_than_cores_do_not_crawl) {
  const Mesh mesh = Mesh::cpu(7);
  std::atomic<std::int64_t> calls = 0;
  const std::clock_t before = std::clock();  // processor time of all threads
  for (int i = 0; i < 2000; ++i) {
    mesh.for_each_device([&](const DeviceContext&) { ++calls; });
  }
  const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_EQ(calls, 14000);
  // A hundred microseconds a round is usual; a spinning wait would burn a time slice
  // (some milliseconds) for each of the seven. Processor time, for other work may have
  // the cores.
  EXPECT_LT(used, 3.0);
}

TEST(Devices, use_no_processor_time_while_idle) {
  const Mesh mesh = Mesh::cpu(2);
  mesh.for_each_device([](const DeviceContext&) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::clock_t before = std::clock();  // processor time of all threads
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double used = double(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(used, 0.05);
}

TEST(Devices, can_be_chosen_by_core) {
  const std::vector<int> cores = available_cores();
  const Mesh mesh = Mesh::on_cores({cores.back(), cores.front()});
  EXPECT_EQ(mesh.core(0), cores.back());
  EXPECT_EQ(mesh.core(1), cores.front());
  EXPECT_EQ(crowding(mesh.places()).empty(), cores.size() > 1);
  EXPECT_THROW(Mesh::on_cores({cores.back() + 1}), Error);
  EXPECT_THROW(Mesh::on_cores({}), Error);
  EXPECT_EQ(Mesh::all().local_device_count(), int(cores.size()));
  EXPECT_FALSE(crowding(Mesh::cpu(int(cores.size()) + 1).places()).empty());
}

}  // namespace
}  // namespace drover
