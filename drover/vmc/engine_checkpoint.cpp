// What a run needs to go on, and the digest of where it is.
#include <fmt/format.h>

#include "drover/core/digest.hpp"
#include "drover/core/error.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/map.hpp"
#include "drover/vmc/engine.hpp"

namespace drover {

namespace {

constexpr std::int64_t format_version = 2;

// The digest as words that a reduction may add.
struct DigestSum {
  std::array<std::int64_t, 4> parts{};
  void merge(const DigestSum& other) {
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += other.parts[k];
  }
  std::span<std::int64_t> words() { return parts; }
};

std::vector<double> numbers(const OptimisationRecord& r) {
  return {static_cast<double>(r.step),
          r.energy,
          r.error,
          r.variance,
          r.acceptance,
          r.step_norm,
          r.accepted ? 1.0 : 0.0,
          static_cast<double>(r.nonfinite),
          r.seconds,
          static_cast<double>(r.clipped)};
}

}  // namespace

std::string Engine::digest() const {
  const DigestSum start;
  Unreduced<DigestSum> sums = map_sum(
      {.label = "digest"}, [&] { return start; },
      [](const Batch& batch, const Herd& mine, DigestSum& partial) {
        std::vector<double> row(
            static_cast<std::size_t>(Herd::row_width(mine.electrons())));
        Digest d;
        for (std::int64_t i = batch.rows.first; i < batch.rows.last; ++i) {
          mine.write_row(i, row);
          d.add(mine.rows().first + i,
                std::span<const double>(row).first(
                    static_cast<std::size_t>(3 * mine.electrons())));
        }
        const auto words = d.words();
        for (std::size_t k = 0; k < words.size(); ++k) partial.parts[k] += words[k];
      },
      herd_);
  const Replicated<DigestSum> all = reduce(std::move(sums), "digest");
  Digest d = Digest::from_words(all->parts);
  d.add(0, std::span<const double>(parameters_), 1);
  return d.text();
}

std::string Engine::fingerprint() const {
  const Settings& s = settings_;
  const OptimiseSettings& o = s.optimise;
  std::string text = fmt::format(
      "electrons {} walkers {} seed {} move {} sweeps {} step {} equilibration {} "
      "objective {} method {} steps {} reference {} sweeps {} samples {} updates {} "
      "effective {} clip {} rate {} momentum {} beta2 {} shift {} radius {} cg {} "
      "schedule {} {} average {} freeze {} parameters",
      model_.electrons(), s.sampling.walkers, s.run.seed,
      static_cast<int>(s.sampling.move), s.sampling.sweeps, s.sampling.step_size,
      s.sampling.equilibration, name_of(o.objective), name_of(o.method), o.steps,
      o.reference_steps, o.sweeps, o.samples, o.updates, o.effective, o.clip,
      o.learning_rate, o.momentum, o.beta2, o.shift, o.trust_radius, o.cg_iterations,
      name_of(o.schedule), o.schedule_steps, o.average, fmt::join(o.freeze, ","));
  for (const ParameterInfo& p : model_.parameters()) text += " " + p.name;
  return text;
}

Checkpoint Engine::checkpoint() const {
  Checkpoint c;
  c.add("format", format_version);
  c.add("fingerprint", fingerprint());
  c.add("stage", static_cast<std::int64_t>(stage_));
  c.add("step", step_);
  c.add("sweeps", sweeps_);
  c.add_bits("seed", settings_.run.seed);
  std::vector<std::string> names;
  for (const ParameterInfo& p : model_.parameters()) names.push_back(p.name);
  c.add("parameter_names", names);
  c.add("parameters", parameters_);
  c.add("step_size", step_size_, "bohr");
  c.add("clip_known", clip_known_);
  c.add("clip_center", clip_center_, "hartree");
  c.add("clip_deviation", clip_deviation_, "hartree");
  c.add("nonfinite", nonfinite_);
  c.add("idle_steps", idle_steps_);
  c.add("equilibration_steps", equilibration_steps_);
  c.add("warnings", warnings_);
  c.add("equilibration/judge", judge_.state());
  c.add("equilibration/step_size",
        controller_ ? controller_->state() : std::vector<double>{});
  c.add("optimiser", optimiser_ ? optimiser_->state() : std::vector<double>{});
  c.add("optimiser_last_norm", last_norm_);
  c.add("parameter_errors", parameter_errors_);
  c.add("optimiser_averaged", static_cast<std::int64_t>(averaged_));

  std::vector<double> records, parameters;
  std::vector<std::string> objectives, reasons;
  for (const OptimisationRecord& r : optimisation_) {
    const std::vector<double> row = numbers(r);
    records.insert(records.end(), row.begin(), row.end());
    parameters.insert(parameters.end(), r.parameters.begin(), r.parameters.end());
    objectives.push_back(r.objective);
    reasons.push_back(r.reason);
  }
  const auto steps = static_cast<std::int64_t>(optimisation_.size());
  c.add("optimisation/records", records, {steps, 10});
  c.add("optimisation/parameters", parameters,
        {steps, static_cast<std::int64_t>(parameters_.size())});
  c.add("optimisation/objectives", objectives);
  c.add("optimisation/reasons", reasons);

  std::vector<double> measured;
  for (const MeasureRecord& m : measured_)
    for (const double x :
         {m.energy, m.kinetic, m.potential, m.variance, m.clipped_variance, m.acceptance,
          static_cast<double>(m.counted), static_cast<double>(m.nonfinite)})
      measured.push_back(x);
  c.add("measure/records", measured, {static_cast<std::int64_t>(measured_.size()), 8});
  c.add("measure/planned", planned_);
  c.add("measure/boundary", boundary_);
  c.add("measure/shift", shift_, "hartree");
  c.add("measure/sums", std::vector<double>{sum_[0], sum_[1], squares_[0], squares_[1]});
  c.add("measure/counted", std::vector<std::int64_t>{counted_[0], counted_[1]});
  // The newest step's sums over walkers, for a run that is asked for its result again.
  const WalkerSums& w = last_.walkers;
  const HalfChainSums& h = last_.half_chains;
  c.add(
      "measure/last",
      std::vector<double>{static_cast<double>(w.walkers), w.shift, w.counted, w.sum,
                          w.sum2, w.sum_count, w.counted2, static_cast<double>(h.chains),
                          h.samples, h.sum_inverse_length, h.shift, h.sum_means,
                          h.sum_means2, last_.chain_squares});
  c.add("seconds", seconds(), "s");
  c.add("seconds_to_first_step", seconds_to_first_step_, "s");
  c.add("measuring_seconds", measuring_seconds_, "s");
  const Array<double> rows = gather_rows(herd_, model_.electrons());
  c.add("walkers", std::vector<double>(rows.begin(), rows.end()),
        {rows.rows(), rows.row_size()}, "bohr, then energy sums");
  return c;
}

namespace {

Array<double> walker_rows(const Checkpoint& c, std::int64_t walkers, int electrons) {
  const std::vector<double>& values = c.reals("walkers");
  Array<double> rows({walkers, Herd::row_width(electrons)});
  if (static_cast<std::int64_t>(values.size()) != rows.size())
    throw input_error(
        fmt::format("the stored walkers are {} numbers, {} walkers of {} electrons need "
                    "{}: sampling.walkers "
                    "or the system differ from the run they come from",
                    values.size(), walkers, electrons, rows.size()));
  std::copy(values.begin(), values.end(), rows.begin());
  return rows;
}

}  // namespace

void Engine::restore(const Checkpoint& c) {
  if (c.integer("format") != format_version)
    throw input_error("the checkpoint was written by another version of Drover");
  if (c.text("fingerprint") != fingerprint())
    throw input_error("the checkpoint belongs to another run: it says\n  " +
                      c.text("fingerprint") + "\nand this run is\n  " + fingerprint());
  stage_ = static_cast<Stage>(c.integer("stage"));
  step_ = c.integer("step");
  sweeps_ = c.integer("sweeps");
  step_size_ = c.real("step_size");
  clip_known_ = c.integer("clip_known");
  clip_center_ = c.real("clip_center");
  clip_deviation_ = c.real("clip_deviation");
  nonfinite_ = c.integer("nonfinite");
  idle_steps_ = c.integer("idle_steps");
  equilibration_steps_ = c.integer("equilibration_steps");
  warnings_ = c.words("warnings");
  make_judge(equilibration_steps_ > step_);
  judge_.restore(c.reals("equilibration/judge"));
  if (const auto& state = c.reals("equilibration/step_size"); !state.empty()) {
    controller_.emplace(1.0);
    controller_->restore(state);
  }
  if (const auto& state = c.reals("optimiser"); !state.empty()) {
    const std::int64_t step = step_;
    begin_optimisation();
    optimiser_->restore(state);
    step_ = step;
  }
  last_norm_ = c.real("optimiser_last_norm");
  parameter_errors_ = c.reals("parameter_errors");
  averaged_ = c.integer("optimiser_averaged") != 0;

  const auto& records = c.reals("optimisation/records");
  const auto& parameters = c.reals("optimisation/parameters");
  const auto& objectives = c.words("optimisation/objectives");
  const auto& reasons = c.words("optimisation/reasons");
  const std::size_t width = parameters_.size();
  if (records.size() != 10 * objectives.size() || reasons.size() != objectives.size() ||
      parameters.size() != width * objectives.size())
    throw input_error("the checkpoint's optimisation records do not fit together");
  for (std::size_t k = 0; k < objectives.size(); ++k) {
    const double* v = records.data() + 10 * k;
    OptimisationRecord r;
    r.step = static_cast<std::int64_t>(v[0]);
    r.energy = v[1];
    r.error = v[2];
    r.variance = v[3];
    r.acceptance = v[4];
    r.step_norm = v[5];
    r.accepted = v[6] != 0.0;
    r.nonfinite = static_cast<std::int64_t>(v[7]);
    r.seconds = v[8];
    r.clipped = static_cast<std::int64_t>(v[9]);
    r.objective = objectives[k];
    r.reason = reasons[k];
    const auto first = parameters.begin() + static_cast<std::ptrdiff_t>(k * width);
    r.parameters.assign(first, first + static_cast<std::ptrdiff_t>(width));
    optimisation_.push_back(r);
  }
  const auto& measured = c.reals("measure/records");
  for (std::size_t k = 0; k + 8 <= measured.size(); k += 8) {
    const double* v = measured.data() + k;
    measured_.push_back({v[0], v[1], v[2], v[3], v[4], v[5],
                         static_cast<std::int64_t>(v[6]),
                         static_cast<std::int64_t>(v[7])});
  }
  planned_ = c.integer("measure/planned");
  boundary_ = c.integer("measure/boundary");
  shift_ = c.real("measure/shift");
  const auto& sums = c.reals("measure/sums");
  const auto& counted = c.integers("measure/counted");
  const auto& last = c.reals("measure/last");
  if (sums.size() != 4 || counted.size() != 2 || last.size() != 14)
    throw input_error("the checkpoint's sums do not have the expected length");
  for (std::size_t half = 0; half < 2; ++half) {
    sum_[half] = sums[half];
    squares_[half] = sums[2 + half];
    counted_[half] = counted[half];
  }
  last_.walkers = {static_cast<std::int64_t>(last[0]),
                   last[1],
                   last[2],
                   last[3],
                   last[4],
                   last[5],
                   last[6]};
  last_.half_chains = {static_cast<std::int64_t>(last[7]),
                       last[8],
                       last[9],
                       last[10],
                       last[11],
                       last[12],
                       0.0};
  last_.chain_squares = last[13];
  seconds_before_ = c.real("seconds");
  seconds_to_first_step_ = c.real("seconds_to_first_step");
  measuring_seconds_ = c.real("measuring_seconds");
  set_parameters(c.reals("parameters"));
  herd_ = make_herd(mesh_, model_,
                    walker_rows(c, settings_.sampling.walkers, model_.electrons()));
}

void Engine::start_from(const Checkpoint& other) {
  std::vector<std::string> names;
  for (const ParameterInfo& p : model_.parameters()) names.push_back(p.name);
  if (other.words("parameter_names") != names)
    throw input_error(
        "run.start_from: that run has other parameters than this wave function; use the "
        "same "
        "jastrow.terms and the same elements",
        {.key = "run.start_from"});
  const std::int64_t width = Herd::row_width(model_.electrons());
  const auto found = static_cast<std::int64_t>(other.reals("walkers").size());
  if (found != width * settings_.sampling.walkers)
    throw input_error(
        fmt::format(
            "run.start_from: that run left {} numbers of walkers, and {} walkers of {} "
            "electrons need {}; use its sampling.walkers and its system",
            found, settings_.sampling.walkers, model_.electrons(),
            width * settings_.sampling.walkers),
        {.key = "run.start_from"});
  set_parameters(other.reals("parameters"));
  herd_ = make_herd(mesh_, model_,
                    walker_rows(other, settings_.sampling.walkers, model_.electrons()));
  step_size_ = other.real("step_size");
  // The clock of the random numbers goes on, so that no number is drawn twice.
  sweeps_ = other.integer("sweeps");
}

}  // namespace drover
