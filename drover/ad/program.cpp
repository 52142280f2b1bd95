// Compiling a tape: what is needed, what is fused, where each value lives.
#include "drover/ad/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "drover/core/error.hpp"

namespace drover::tape {
namespace {

std::size_t index(int n) {
  return static_cast<std::size_t>(n);
}

// First-fit allocation of components with coalescing of what is freed.
class Allocator {
 public:
  std::int64_t take(std::int64_t size) {
    for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
      if (hole->second < size) continue;
      const std::int64_t at = hole->first, left = hole->second - size;
      free_.erase(hole);
      if (left > 0) free_.emplace(at + size, left);
      return at;
    }
    if (!free_.empty()) {  // grow the hole at the end
      const auto last = std::prev(free_.end());
      if (last->first + last->second == end_) {
        const std::int64_t at = last->first;
        free_.erase(last);
        end_ = at + size;
        return at;
      }
    }
    end_ += size;
    return end_ - size;
  }
  void give(std::int64_t at, std::int64_t size) {
    auto next = free_.lower_bound(at);
    if (next != free_.end() && at + size == next->first) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += size;
        return;
      }
    }
    free_.emplace(at, size);
  }
  std::int64_t end() const { return end_; }

 private:
  std::map<std::int64_t, std::int64_t> free_;  // where -> how much
  std::int64_t end_ = 0;
};

}  // namespace

void Doubles::Free::operator()(double* p) const {
  std::free(p);
}

void Doubles::reserve(std::int64_t size) {
  if (size <= size_) return;
  const auto bytes = static_cast<std::size_t>((size + 7) / 8 * 64);
  data_.reset(static_cast<double*>(std::aligned_alloc(64, bytes)));
  if (!data_) throw std::bad_alloc();
  size_ = size;
}

Program::Program(const Tape& tape, std::vector<int> stored,
                 std::vector<Terminal> terminals, int parameters)
    : tape_(tape),
      stored_(std::move(stored)),
      terminals_(std::move(terminals)),
      parameters_(parameters) {
  compile(nullptr, false);
}

Program Program::keeping(const Tape& tape, std::vector<int> stored, int parameters) {
  Program program;
  program.tape_ = tape;
  program.stored_ = std::move(stored);
  program.parameters_ = parameters;
  program.compile(nullptr, true);
  return program;
}

Program Program::continuing(const Program& forward, const Tape& tape,
                            std::vector<int> stored, std::vector<Terminal> terminals) {
  Program program;
  program.tape_ = tape;
  program.stored_ = std::move(stored);
  program.terminals_ = std::move(terminals);
  program.parameters_ = forward.parameters_;
  program.compile(&forward, false);
  return program;
}

std::int64_t Program::kept_size(std::int64_t rows) const {
  return (rows + rows_per_pass_ - 1) / rows_per_pass_ * rows_per_pass_ * kept_components_;
}

bool Program::is_alias(int n) const {
  switch (tape_[n].op) {
    case Op::view:
    case Op::inverse:
    case Op::log_determinant:
    case Op::determinant_sign:
      return true;
    default:
      return false;
  }
}

void Program::compile(const Program* forward, bool keep) {
  const int size = tape_.size();
  places_.assign(index(size), {});
  if (forward) {
    kept_components_ = forward->kept_components_;
    rows_per_pass_ = forward->rows_per_pass_;
    std::copy(forward->places_.begin(), forward->places_.end(), places_.begin());
  }
  const auto known = [&](int n) {
    return forward && places_[index(n)].base != Base::none;
  };

  std::vector<bool> needed(index(size), false);
  std::vector<int> uses(index(size), 0);
  const auto root = [&](int n) {
    if (n < 0) return;
    needed[index(n)] = true;
    uses[index(n)] += 2;  // never fused away
  };
  for (const int n : stored_) root(n);
  for (const Terminal& t : terminals_) {
    root(t.x);
    root(t.y);
  }
  for (int n = size - 1; n >= 0; --n) {
    if (!needed[index(n)] || known(n)) continue;
    for (const int arg : tape_[n].args) {
      needed[index(arg)] = true;
      ++uses[index(arg)];
    }
  }

  std::vector<Instruction> plan;
  std::vector<bool> skipped(index(size), false);
  for (int n = 0; n < size; ++n) {
    if (!needed[index(n)] || known(n)) continue;
    const Node& node = tape_[n];
    Place& place = places_[index(n)];
    if (node.op == Op::parameter) {
      place = {Base::parameter, node.offset};
    } else if (node.op == Op::constant) {
      place = {Base::constant, node.offset};
    } else {
      plan.push_back({.node = n});
    }
  }
  fuse(forward, uses, plan, skipped);
  std::erase_if(plan, [&](const Instruction& i) { return skipped[index(i.node)]; });
  allocate(plan, keep);
  std::erase_if(plan, [&](const Instruction& i) { return is_alias(i.node); });
  instructions_ = std::move(plan);

  if (!forward) {
    constexpr std::int64_t budget = 1 << 20;  // bytes; half of a usual L2
    const std::int64_t each = 8 * (kept_components_ + temporary_components_);
    while (rows_per_pass_ > 8 && each * rows_per_pass_ > budget) rows_per_pass_ /= 2;
  }
  place_terminals();
}

// A node that is read once and only by what it is fused into is skipped.
void Program::fuse(const Program* forward, const std::vector<int>& uses,
                   std::vector<Instruction>& plan, std::vector<bool>& skipped) const {
  const auto single = [&](int n) {
    return uses[index(n)] == 1 && !(forward && places_[index(n)].base != Base::none);
  };
  const auto is_bias = [&](int b, const Shape& shape) {
    return places_[index(b)].shared() && tape_.shape(b).size() == shape.columns &&
           tape_.shape(b).columns == shape.columns;
  };
  for (Instruction& instruction : plan) {
    const Node& node = tape_[instruction.node];
    if (node.op == Op::dense) instruction.dense = instruction.node;
    for (std::size_t i = 0; i < 2 && node.op == Op::binary; ++i) {
      const int a = node.args[i], b = node.args[1 - i];
      const Node& x = tape_[a];
      if (!single(a)) continue;
      if (node.binary() == BinaryOp::add && x.op == Op::dense && is_bias(b, x.shape) &&
          node.shape.size() == x.shape.size()) {
        instruction.dense = a;
        instruction.bias = b;
        skipped[index(a)] = true;
        break;
      }
      if (node.binary() == BinaryOp::multiply && x.op == Op::unary &&
          x.unary() == UnaryOp::one_minus_square) {
        instruction.slope_of = x.args[0];
        instruction.factor = b;
        skipped[index(a)] = true;
        break;
      }
    }
  }
}

void Program::allocate(const std::vector<Instruction>& plan, bool keep) {
  const int size = tape_.size();
  const auto source = [&](int n) {
    while (is_alias(n)) n = tape_[n].args[0];
    return n;
  };
  std::vector<std::size_t> last(index(size), 0);
  const auto reads = [&](const Instruction& i, const auto& see) {
    const bool fused = i.dense >= 0 || i.slope_of >= 0;
    for (const int arg : {i.bias, i.factor, i.slope_of}) {
      if (arg >= 0) see(arg);
    }
    if (fused && i.dense < 0) return;
    for (const int arg : tape_[fused ? i.dense : i.node].args) see(arg);
  };
  for (std::size_t t = 0; t < plan.size(); ++t) {
    reads(plan[t], [&](int n) { last[index(source(n))] = t; });
  }
  const auto for_ever = [&](int n) {
    if (n >= 0) last[index(source(n))] = plan.size();
  };
  for (const int n : stored_) for_ever(n);
  for (const Terminal& t : terminals_) {
    for_ever(t.x);
    for_ever(t.y);
  }

  Allocator memory;
  std::vector<bool> freed(index(size), false);
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const int n = plan[t].node;
    Place& place = places_[index(n)];
    if (is_alias(n)) {
      place = places_[index(tape_[n].args[0])];
      place.offset += tape_[n].offset;
    } else {
      place = {keep ? Base::kept : Base::temporary, memory.take(tape_.shape(n).size())};
    }
    if (keep) continue;
    reads(plan[t], [&](int arg) {
      const int owner = source(arg);
      const Place& old = places_[index(owner)];
      if (old.base != Base::temporary || last[index(owner)] != t || freed[index(owner)])
        return;
      freed[index(owner)] = true;
      memory.give(old.offset, tape_.shape(owner).size());
    });
  }
  (keep ? kept_components_ : temporary_components_) = memory.end();
  for (const Instruction& i : plan) {
    const Shape& shape = tape_.shape(i.node);
    if (i.dense >= 0) packed_size_ += tape_.shape(tape_[i.dense].args[1]).size();
    if (tape_[i.node].op == Op::factor) {
      work_size_ = std::max<std::int64_t>(work_size_, 16 * shape.size());
    }
  }
}

// The first use of a parameter is summed where it is delivered, further ones beside it.
void Program::place_terminals() {
  sums_size_ = parameters_;
  for (std::size_t t = 0; t < terminals_.size(); ++t) {
    const Terminal& terminal = terminals_[t];
    bool again = false;
    for (std::size_t u = 0; u < t; ++u) {
      const Terminal& other = terminals_[u];
      again = again || (terminal.offset < other.offset + other.size() &&
                        other.offset < terminal.offset + terminal.size());
    }
    sums_at_.push_back(again ? sums_size_ : terminal.offset);
    if (again) sums_size_ += terminal.size();
    const std::int64_t row = tape_.shape(terminal.y).size();
    work_size_ = std::max(work_size_, row * rows_per_pass_ + 16);
    terminal_order_.push_back(t);
  }
  std::stable_sort(
      terminal_order_.begin(), terminal_order_.end(),
      [&](std::size_t t, std::size_t u) { return terminals_[t].y < terminals_[u].y; });
}

}  // namespace drover::tape
