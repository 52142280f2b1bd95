// Array<T>: a contiguous array of any rank, row-major, on a 64-byte boundary; a value.
//
// The last axis runs fastest. Elements start at zero. Views are plain spans and pointers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace drover {

inline constexpr std::size_t array_alignment = 64;

// std::allocator on 64-byte boundaries.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    if (n > std::size_t(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(
        ::operator new(n * sizeof(T), std::align_val_t(array_alignment)));
  }
  void deallocate(T* p, std::size_t) {
    ::operator delete(p, std::align_val_t(array_alignment));
  }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

// A vector on a 64-byte boundary, for buffers that kernels read and write.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Number of elements of a shape; Error (logic) if an extent is negative or their product
// exceeds 2^62.
std::int64_t element_count(std::span<const std::int64_t> shape);
// Throws Error (logic): an index outside its shape.
[[noreturn]] void throw_bad_index(std::span<const std::int64_t> shape,
                                  std::span<const std::int64_t> index);

template <class T>
class Array {
  static_assert(std::is_arithmetic_v<T>, "an Array holds numbers");

 public:
  using value_type = T;
  using Shape = std::vector<std::int64_t>;

  Array() = default;  // rank 1, no elements
  // Zeros of a shape, e.g. Array<double>({rows, columns}).
  explicit Array(Shape shape)
      : shape_(std::move(shape)), data_(std::size_t(element_count(shape_))) {}
  Array(Shape shape, std::span<const T> values) : Array(std::move(shape)) {
    if (std::int64_t(values.size()) != size()) {
      const std::int64_t found[] = {std::int64_t(values.size())};
      throw_bad_index(shape_, found);
    }
    std::copy(values.begin(), values.end(), data_.begin());
  }

  const Shape& shape() const { return shape_; }
  int rank() const { return int(shape_.size()); }
  std::int64_t extent(int axis) const { return shape_[std::size_t(axis)]; }
  std::int64_t size() const { return std::int64_t(data_.size()); }
  bool empty() const { return data_.empty(); }
  // Rows are slices along the leading axis; a scalar (rank 0) is one row.
  std::int64_t rows() const { return shape_.empty() ? 1 : shape_.front(); }
  std::int64_t row_size() const {
    return element_count(std::span(shape_).subspan(shape_.empty() ? 0 : std::size_t{1}));
  }

  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  std::span<T> row(std::int64_t i) {
    return std::span<T>(data_).subspan(std::size_t(i * row_size()),
                                       std::size_t(row_size()));
  }
  std::span<const T> row(std::int64_t i) const {
    return std::span<const T>(data_).subspan(std::size_t(i * row_size()),
                                             std::size_t(row_size()));
  }

  // By position in memory; not checked.
  T& operator[](std::int64_t i) { return data_[std::size_t(i)]; }
  const T& operator[](std::int64_t i) const { return data_[std::size_t(i)]; }
  // By one index an axis; checked: Error (logic).
  template <class... I>
  T& operator()(I... index) {
    return data_[offset({std::int64_t(index)...})];
  }
  template <class... I>
  const T& operator()(I... index) const {
    return data_[offset({std::int64_t(index)...})];
  }

  void fill(T value) { std::fill(data_.begin(), data_.end(), value); }
  // A new shape; elements keep their place in memory, new ones are zero.
  void resize(Shape shape) {
    data_.resize(std::size_t(element_count(shape)));
    shape_ = std::move(shape);
  }

  friend bool operator==(const Array&, const Array&) = default;

 private:
  Shape shape_ = {0};
  AlignedVector<T> data_;

  std::size_t offset(std::initializer_list<std::int64_t> index) const {
    std::int64_t place = 0;
    bool good = index.size() == shape_.size();
    for (std::size_t axis = 0; good && axis < shape_.size(); ++axis) {
      const std::int64_t i = index.begin()[axis];
      good = i >= 0 && i < shape_[axis];
      place = place * shape_[axis] + i;
    }
    if (!good) throw_bad_index(shape_, std::span(index.begin(), index.size()));
    return std::size_t(place);
  }
};

}  // namespace drover
