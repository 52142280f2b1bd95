// Counts calls of the C library's allocator in this process, operator new's among them,
// by standing in front of it. Include it in one source of a test program.
//
// Under a sanitizer, which has an allocator of its own, nothing is counted and
// `allocations_are_counted` is false.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define DROVER_COUNTS_ALLOCATIONS 0
#else
#define DROVER_COUNTS_ALLOCATIONS 1
#endif

namespace drover::testing {

inline constexpr bool allocations_are_counted = DROVER_COUNTS_ALLOCATIONS;
inline std::atomic<std::int64_t> allocations = 0;

// The calls of all threads while f() runs.
template <class F>
std::int64_t count_allocations(F&& f) {
  const std::int64_t before = allocations.load();
  f();
  return allocations.load() - before;
}

inline void count_one_allocation() {
  allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace drover::testing

#if DROVER_COUNTS_ALLOCATIONS
// The C library's own names, defined once in a program.
// NOLINTBEGIN(misc-definitions-in-headers, readability-identifier-naming)
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  drover::testing::count_one_allocation();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  drover::testing::count_one_allocation();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  drover::testing::count_one_allocation();
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  drover::testing::count_one_allocation();
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  drover::testing::count_one_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  drover::testing::count_one_allocation();
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

}  // extern "C"
// NOLINTEND(misc-definitions-in-headers, readability-identifier-naming)
#endif
