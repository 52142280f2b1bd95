// Program: the part of a tape that somebody reads, ordered, placed in memory and run over
// any number of rows.
//
// Rows are taken in passes of 8 to 64, as many as keep the working set near 1 MiB; memory
// does not grow with the rows. Every number that belongs to one row depends on that row
// alone. Sums over rows (terminals) are made for groups of `grain` rows, counted from the
// first row of the call: for each use of a parameter one chain of additions or fused
// multiply-adds in row order, the uses added in tape order. So the bits of a group's sum
// do not depend on lanes, passes, or on how many groups one call holds; adding groups up
// is the caller's business (core's ExactSums make that order-free as well).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "drover/ad/tape.hpp"
#include "drover/ad/transforms.hpp"

namespace drover::tape {

// What was really executed; a product is a layer, a matrix product or a sum of products
// over rows, counted once a pass.
struct WorkCount {
  std::int64_t products = 0;
  std::int64_t multiply_adds = 0;  // inside products, for the rows that are asked for
  std::int64_t elementwise = 0;    // other results, the same way
  std::int64_t passes = 0;
};

// Where a stored node goes: component i of row w to data[w * row_step + i *
// component_step].
struct StoreView {
  double* data = nullptr;
  std::int64_t row_step = 0, component_step = 1;
  bool add = false;
};

// The sum of a group of rows, one number for each parameter; valid during the call.
using DeliverGroup =
    std::function<void(std::int64_t group, std::span<const double> sums)>;

struct Bindings {
  std::int64_t rows = 0;
  std::span<const double> parameters{};
  std::vector<RowsView> inputs{};   // by input number
  std::vector<StoreView> stores{};  // one for each stored node
  std::int64_t grain = 64;
  DeliverGroup deliver{};                // needed where the program has terminals
  const TileKernels* kernels = nullptr;  // null: those of this process
};

// 64-byte aligned doubles that are not initialised.
class Doubles {
 public:
  void reserve(std::int64_t size);
  double* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(double* p) const;
  };
  std::unique_ptr<double[], Free> data_;
  std::int64_t size_ = 0;
};

class Program {
 public:
  // Everything that `stored` and the terminals need.
  Program(const Tape& tape, std::vector<int> stored, std::vector<Terminal> terminals,
          int parameters);
  // All values that lead to `stored`, kept for a later pullback.
  static Program keeping(const Tape& tape, std::vector<int> stored, int parameters);
  // What `forward` kept is read, not computed again.
  static Program continuing(const Program& forward, const Tape& tape,
                            std::vector<int> stored, std::vector<Terminal> terminals);

  std::int64_t rows_per_pass() const { return rows_per_pass_; }
  std::int64_t kept_size(std::int64_t rows) const;  // doubles to keep for so many rows
  int parameters() const { return parameters_; }
  // Of its own buffers, whatever the number of rows it has run.
  std::int64_t working_bytes() const {
    return 8 * (temporary_.size() + work_.size() + sums_.size() + packed_.size());
  }

  // Runs all passes; `kept` is written (keeping) or read (continuing). Throws Error
  // (logic) where bindings are missing. One call at a time for each program.
  WorkCount run(const Bindings& bindings, double* kept = nullptr);

 private:
  enum class Base : std::uint8_t { none, parameter, constant, kept, temporary };
  struct Place {
    Base base = Base::none;
    std::int64_t offset = 0;
    bool shared() const { return base == Base::parameter || base == Base::constant; }
  };
  // What gives a node its value: its own operation, or two fused into one: a layer with
  // the bias added to it, or factor (1 - slope_of^2), the pullback of tanh.
  struct Instruction {
    int node;
    int dense = -1, bias = -1;
    int factor = -1, slope_of = -1;
    std::int64_t packed_at = -1;  // a layer's weights, in packed_
  };
  struct Pass {
    const Bindings& bindings;
    std::int64_t first, rows, stride;
    double* kept;
  };

  Program() = default;
  void compile(const Program* forward, bool keep);
  void fuse(const Program* forward, const std::vector<int>& uses,
            std::vector<Instruction>& plan, std::vector<bool>& skipped) const;
  void allocate(const std::vector<Instruction>& plan, bool keep);
  void place_terminals();
  bool is_alias(int node) const;

  const double* at(const Pass& pass, int node) const;
  double* out(const Pass& pass, int node) const;
  Operand operand(const Pass& pass, int node) const;
  Weights layer_weights(const Pass& pass, const Node& layer) const;
  void pack(const Bindings& bindings);
  void execute(const Pass& pass, const Instruction& instruction);
  void sum_rows(const Pass& pass);
  std::int64_t matmul(const Pass& pass, int node) const;

  Tape tape_;
  std::vector<int> stored_;
  std::vector<Terminal> terminals_;
  int parameters_ = 0;
  const TileKernels* kernels_ = nullptr;
  std::vector<Place> places_;
  std::vector<Instruction> instructions_;
  std::int64_t kept_components_ = 0, temporary_components_ = 0, work_size_ = 0;
  std::int64_t rows_per_pass_ = 64;
  std::vector<std::size_t> terminal_order_;  // those that read the same y together
  std::vector<std::int64_t> sums_at_;        // of each terminal in sums_
  std::int64_t sums_size_ = 0, packed_size_ = 0;
  Doubles temporary_, work_, sums_, packed_;
  WorkCount count_;
};

}  // namespace drover::tape
