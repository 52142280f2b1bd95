// Which mesh is current: scopes nest, restore on every exit and belong to their thread.
#include <gtest/gtest.h>

#include <thread>

#include "drover/core/error.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/mesh/placement.hpp"

namespace drover {
namespace {

TEST(CurrentMesh, is_an_error_that_says_what_to_do_when_there_is_none) {
  ASSERT_FALSE(has_current_mesh());
  try {
    replicate(1.0);
    FAIL() << "no error without a mesh";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::logic);
    EXPECT_EQ(std::string(error.what()).find("[replicate] no current mesh: "), 0u);
    EXPECT_NE(std::string(error.what()).find("use_mesh"), std::string::npos);
  }
}

TEST(CurrentMesh, is_restored_on_every_exit) {
  const Mesh outer = Mesh::cpu(1);
  const Mesh inner = Mesh::cpu(2);
  {
    const auto scope = use_mesh(outer);
    EXPECT_EQ(current_mesh(), outer);
    try {
      // Only its lifetime matters.
      // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores)
      const auto nested = use_mesh(inner);
      EXPECT_EQ(current_mesh(), inner);
      {
        const auto again = use_mesh(outer);
        EXPECT_EQ(current_mesh(), outer);
      }
      EXPECT_EQ(current_mesh(), inner);
      throw std::runtime_error("leaves the block");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(current_mesh(), outer);
  }
  EXPECT_FALSE(has_current_mesh());
}

TEST(CurrentMesh, of_a_scope_belongs_to_its_thread_and_the_default_to_all) {
  const Mesh mine = Mesh::cpu(1);
  const Mesh everyones = Mesh::cpu(1);
  const auto scope = use_mesh(mine);
  std::thread([&] { EXPECT_FALSE(has_current_mesh()); }).join();
  set_default_mesh(everyones);
  std::thread([&] {
    EXPECT_EQ(current_mesh(), everyones);
    const auto own = use_mesh(mine);
    EXPECT_EQ(current_mesh(), mine);
  }).join();
  EXPECT_EQ(current_mesh(), mine);
  clear_default_mesh();
  std::thread([&] { EXPECT_FALSE(has_current_mesh()); }).join();
}

TEST(Mesh, has_one_axis_of_walkers_and_is_equal_to_its_copies_only) {
  const Mesh mesh = Mesh::cpu(2);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is the test
  const Mesh copy = mesh;
  EXPECT_EQ(mesh.axis(), "walkers");
  EXPECT_EQ(copy, mesh);
  EXPECT_FALSE(Mesh::cpu(2) == mesh);
  EXPECT_EQ(mesh.device_count(), 2);
  EXPECT_EQ(mesh.ranks(), 1);
  EXPECT_THROW(Mesh::cpu(0), Error);
}

}  // namespace
}  // namespace drover
