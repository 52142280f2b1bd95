// What each device holds for a model's vector-Jacobian product over its samples
// (vjp_sum.hpp): the recorded model, and for one call the weights and views of its rows.
//
// A plain model is recorded anew at every call, once on every device, from that device's
// thread; that costs some ten microseconds. keep(model) is for loops: a handle that holds
// the recordings and what was made from them, so that a loop records once.
#pragma once

#include <memory>
#include <optional>
#include <typeindex>
#include <vector>

#include "drover/ad/vjp.hpp"
#include "drover/mesh/map.hpp"

namespace drover {
namespace vjp_sums {

// Rows `first` and on of a view.
inline tape::RowsView from_row(tape::RowsView view, std::int64_t first) {
  const std::int64_t skip = first * view.row_step;
  if (view.is_float) {
    view.data = static_cast<const float*>(view.data) + skip;
  } else {
    view.data = static_cast<const double*>(view.data) + skip;
  }
  return view;
}

// The types and extents by which a model was recorded; the number of rows is no part.
struct Recipe {
  std::type_index weights = typeid(void), samples = typeid(void);
  std::vector<std::int64_t> extents;
  friend bool operator==(const Recipe&, const Recipe&) = default;
};
template <class W, class X>
Recipe recipe_of(const W& weights, const X& samples) {
  Recipe recipe{typeid(W), typeid(X), {}};
  const auto add = [&](const std::vector<std::int64_t>& extents, std::size_t first) {
    recipe.extents.push_back(static_cast<std::int64_t>(extents.size()));
    for (std::size_t i = first; i < extents.size(); ++i)
      recipe.extents.push_back(extents[i]);
  };
  leaves::each(weights, [&](const auto& leaf) { add(leaves::extents(leaf), 0); });
  leaves::each(samples, [&](const auto& leaf) { add(leaves::extents(leaf), 1); });
  return recipe;
}

class DeviceVjp {
 public:
  // For a call: records the model unless it did so before for arguments of these types
  // and shapes.
  template <class Model, class W, class X>
  void bind(const Model& model, const W& weights, const X& samples) {
    Recipe recipe = recipe_of(weights, samples);
    if (!recorded_ || !(recipe == recipe_)) {
      recorded_.reset();
      recorded_.emplace(record(model, weights, samples));
      recipe_ = std::move(recipe);
      ++recordings_;
    }
    parameters_ = leaves::flat(weights);
    inputs_ = leaves::bind_rows(samples, rows_);
  }

  std::int64_t recordings() const { return recordings_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t value_size() const { return recorded_->output().size(); }
  std::vector<std::int64_t> value_extents() const {
    return recorded_->value_extents(rows_);
  }

  // A call over rows of the shard; values go to the shard's, where there is one.
  Recorded::Call call(RowRange rows, Array<double>* value) const {
    Recorded::Call call{.rows = rows.size(), .parameters = parameters_};
    for (const auto& view : inputs_) call.inputs.push_back(from_row(view, rows.first));
    if (value) call.value = value->data() + rows.first * value_size();
    return call;
  }
  // Their cotangents in double, as many for each row as the value has numbers.
  template <class C>
  const double* cotangents(const C& shard, RowRange rows) {
    const auto all = leaf_values(shard);
    const std::int64_t first = rows.first * value_size();
    if constexpr (std::is_same_v<leaf_number_t<C>, double>) {
      return all.data() + first;
    } else {
      const auto from = all.begin() + first;
      widened_.assign(from, from + rows.size() * value_size());
      return widened_.data();
    }
  }
  Recorded& recorded() { return *recorded_; }

 private:
  std::optional<Recorded> recorded_;
  Recipe recipe_;
  std::int64_t recordings_ = 0, rows_ = 0;
  std::vector<double> parameters_;
  std::vector<tape::RowsView> inputs_;
  std::vector<double> widened_;
};

// One for each device of this rank.
using DeviceVjps = std::vector<DeviceVjp>;
inline DeviceVjp& of_device(DeviceVjps& devices, const DeviceContext& device) {
  return devices[static_cast<std::size_t>(device.local_index)];
}

template <class Model>
struct Access {
  static const Model& model(const Model& model) { return model; }
  static DeviceVjps& devices(const Model&, DeviceVjps& of_this_call) {
    return of_this_call;
  }
};

}  // namespace vjp_sums

// A model that keeps what it recorded, on every device, from call to call: a handle,
// cheap to copy, for one thread at a time. It is recorded again only when the weights or
// samples change their types or shapes (any number of rows, microbatches and values is
// the same recording); what the model captures is read at the recording.
template <class Model>
class KeptModel {
 public:
  explicit KeptModel(Model model) : state_(new State{std::move(model), {}}) {}
  // How often the model was recorded, all devices of this rank together.
  std::int64_t recordings() const {
    std::int64_t sum = 0;
    for (const auto& device : state_->devices) sum += device.recordings();
    return sum;
  }

 private:
  template <class M>
  friend struct vjp_sums::Access;
  struct State {
    Model model;
    vjp_sums::DeviceVjps devices;
  };
  std::shared_ptr<State> state_;
};
template <class Model>
KeptModel<Model> keep(Model model) {
  return KeptModel<Model>(std::move(model));
}

namespace vjp_sums {

template <class Model>
struct Access<KeptModel<Model>> {
  static const Model& model(const KeptModel<Model>& kept) { return kept.state_->model; }
  static DeviceVjps& devices(const KeptModel<Model>& kept, DeviceVjps&) {
    return kept.state_->devices;
  }
};

// Makes every device ready for a call, there. Returns the model's own devices where it
// keeps them, else `of_this_call`.
template <class Model, class W, class X>
DeviceVjps& bind_on_devices(const Model& model, const W& weights,
                            const Sharded<X>& samples, DeviceVjps& of_this_call) {
  DeviceVjps& devices = Access<Model>::devices(model, of_this_call);
  const Mesh& mesh = samples.mesh();
  devices.resize(static_cast<std::size_t>(mesh.local_device_count()));
  mesh.for_each_device([&](const DeviceContext& device) {
    of_device(devices, device)
        .bind(Access<Model>::model(model), weights, samples.shard(device.local_index));
  });
  return devices;
}

inline Sharded<Array<double>> empty_values(const ShardLayout& layout,
                                           DeviceVjps& devices) {
  return make_sharded<Array<double>>(
      layout.mesh, layout.rows, layout.grain, [&](const DeviceContext& device, RowRange) {
        return Array<double>(of_device(devices, device).value_extents());
      });
}

// Zeros in double for the cotangents of all rows.
template <class X>
using row_cotangents_t = leaves::rebind_t<X, leaves::in_double>;
template <class X>
Sharded<row_cotangents_t<X>> empty_cotangents(const Sharded<X>& samples) {
  const ShardLayout& layout = samples.layout();
  return make_sharded<row_cotangents_t<X>>(
      layout.mesh, layout.rows, layout.grain, [&](const DeviceContext& device, RowRange) {
        return std::move(
            *leaves::zeros_like<X>(leaves::outline(samples.shard(device.local_index))));
      });
}
// Stores into rows `first` and on of such a shard.
template <class X>
std::vector<tape::StoreView> stores_into(X& shard, std::int64_t first) {
  std::vector<tape::StoreView> stores;
  leaves::each(shard, [&](auto& leaf) {
    const std::int64_t width = leaves::row_shape(leaf).size();
    stores.push_back({leaf_values(leaf).data() + first * width, width, 1, false});
  });
  return stores;
}

}  // namespace vjp_sums
}  // namespace drover
