#include "drover/vmc/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/random.hpp"
#include "drover/vmc/freeze.hpp"
#include "drover/vmc/optimise_choice.hpp"

namespace drover {

namespace {

constexpr std::int64_t idle_limit = 20;  // steps without one accepted move

// Energies that are no numbers: a few may be a walker on a node, more is a broken
// function.
constexpr double hopeless_share = 0.5;

}  // namespace

Engine::Engine(Model& model, const Settings& settings, const Mesh& mesh,
               RunObserver& observer, RunControl& control)
    : model_(model),
      settings_(settings),
      mesh_(mesh),
      observer_(observer),
      control_(control),
      herd_(control.positions.size() > 0
                ? make_herd_at(mesh, model, settings.sampling.walkers, control.positions)
                : make_herd(mesh, model, settings.sampling.walkers, settings.run.seed)),
      began_(std::chrono::steady_clock::now()),
      last_save_(began_),
      stage_began_(began_) {
  check_optimise(settings.optimise);
  std::vector<std::string> names;
  for (const ParameterInfo& p : model.parameters()) {
    parameters_.push_back(p.initial);
    names.push_back(p.name);
  }
  check_samples(settings.optimise, std::ssize(names), settings.sampling.walkers);
  frozen_ = frozen_parameters(settings.optimise.freeze, names);
}

double Engine::seconds() const {
  const std::chrono::duration<double> d = std::chrono::steady_clock::now() - began_;
  return seconds_before_ + d.count();
}

void Engine::set_parameters(const std::vector<double>& values) {
  parameters_ = values;
  model_.set_parameters(values);
}

Target Engine::target() const {
  return stage_ == Stage::equilibrate_reference || stage_ == Stage::reference
             ? Target::reference
             : Target::wave_function;
}

// What there is to do, by the settings and the wave function.
bool Engine::has_reference_stage() const {
  const OptimiseSettings& o = settings_.optimise;
  if (model_.parameters().empty() || o.steps == 0) return false;
  return o.objective == Objective::reference_variance || o.reference_steps > 0;
}
bool Engine::has_optimise_stage() const {
  const OptimiseSettings& o = settings_.optimise;
  return !model_.parameters().empty() && o.steps > 0 &&
         o.objective != Objective::reference_variance;
}

Stage Engine::next(Stage stage) const {
  switch (stage) {
    case Stage::equilibrate_reference:
      return Stage::reference;
    case Stage::reference:
      return has_optimise_stage() ? Stage::equilibrate_energy
                                  : Stage::equilibrate_measure;
    case Stage::equilibrate_energy:
      return Stage::optimise;
    case Stage::optimise:
      return Stage::equilibrate_measure;
    case Stage::equilibrate_measure:
      return Stage::measure;
    case Stage::measure:
    case Stage::done:
      break;
  }
  return Stage::done;
}

// What a program of one's own may have given each rank differently; the app compares its
// files before.
void Engine::require_agreement() const {
  Communicator& ranks = mesh_.communicator();
  agree(ranks, "the seed", static_cast<std::int64_t>(settings_.run.seed));
  agree(ranks, "the number of walkers", settings_.sampling.walkers);
  agree(ranks, "the number of parameters", static_cast<std::int64_t>(parameters_.size()));
  agree(ranks, "the parameters", std::as_bytes(std::span(parameters_)));
  const Array<double>& brought = control_.positions;
  agree(
      ranks, "the walkers brought",
      std::as_bytes(std::span(brought.data(), static_cast<std::size_t>(brought.size()))));
}

void Engine::begin() {
  enter(has_reference_stage()  ? Stage::equilibrate_reference
        : has_optimise_stage() ? Stage::equilibrate_energy
                               : Stage::equilibrate_measure);
}

void Engine::enter(Stage stage) {
  stage_ = stage;
  step_ = 0;
  idle_steps_ = 0;
  stage_began_ = std::chrono::steady_clock::now();
  switch (stage) {
    case Stage::equilibrate_reference:
    case Stage::equilibrate_energy:
    case Stage::equilibrate_measure:
      return begin_equilibration();
    case Stage::reference:
    case Stage::optimise:
      return begin_optimisation();
    case Stage::measure:
      return begin_measuring();
    case Stage::done:
      return;
  }
}

void Engine::step() {
  switch (stage_) {
    case Stage::equilibrate_reference:
    case Stage::equilibrate_energy:
    case Stage::equilibrate_measure:
      return equilibration_step();
    case Stage::reference:
    case Stage::optimise:
      return optimisation_step();
    case Stage::measure:
      return measuring_step();
    case Stage::done:
      return;
  }
}

SampleSpec Engine::base_spec() const {
  SampleSpec spec;
  spec.visit.seed = settings_.run.seed;
  spec.visit.sweeps = settings_.sampling.sweeps;
  spec.visit.step_size = step_size_;
  spec.visit.move = settings_.sampling.move;
  spec.visit.target = target();
  spec.parameters = static_cast<std::int64_t>(model_.parameters().size());
  spec.microbatch = settings_.run.microbatch;
  spec.shift = clip_known_ > 0 ? clip_center_ : 0.0;
  spec.clip_center = clip_center_;
  spec.clip_width = clip_known_ > 1 ? settings_.optimise.clip * clip_deviation_ : 0.0;
  return spec;
}

StepSample Engine::take(SampleSpec spec, std::int64_t visits,
                        std::int64_t discarded_sweeps, const char* label) {
  spec.wants_checkpoint = wants_checkpoint_;
  spec.wants_stop = wants_stop_;
  BadWalker bad;
  Unreduced<StepSums> sums = make_step_sums(mesh_, spec);
  if (discarded_sweeps > 0) {
    SampleSpec quiet = spec;
    quiet.moments = {};
    quiet.keep_walkers = quiet.keep_slopes = false;
    quiet.visit.energy = false;
    quiet.visit.sweeps = discarded_sweeps;
    quiet.visit.first_sweep = sweeps_;
    sample_into(sums, model_, herd_, quiet, bad);
    sweeps_ += discarded_sweeps;
  }
  spec.visits = visits;
  spec.visit.first_sweep = sweeps_;
  sample_into(sums, model_, herd_, spec, bad);
  sweeps_ += visits * spec.visit.sweeps;
  // Samples communicate once; the budget throws at a second collective.
  StepSample sample;
  {
    BudgetScope budget(mesh_.ledger(), mesh_.device_count() > 1 ? 1 : 0);
    sample = reduce_step(std::move(sums), spec, label);
  }
  sample.bad = bad;
  if (seconds_to_first_step_ < 0.0)
    seconds_to_first_step_ = control_.seconds_since_start.value_or(0.0) + seconds();
  stop_now_ = sample.stop_wanted;
  save_now_ = sample.checkpoint_wanted;
  watch(sample);
  return sample;
}

void Engine::watch(const StepSample& s) {
  // A trial of the optimiser may be wild: it is turned down, and the run goes on.
  const bool on_trial = optimiser_ && optimiser_->started();
  if (s.outside > 0 && !on_trial)
    throw Error(
        ErrorKind::numerical,
        fmt::format("{} numbers were too large for the sums (2.8e14): some walker's "
                    "energy or derivative has run away; look at the wave function or "
                    "start again from other parameters",
                    s.outside));
  if (s.nonfinite > 0) {
    const bool first = nonfinite_ == 0;
    nonfinite_ += s.nonfinite;
    const std::string who = s.bad.walker < 0
                                ? std::string("a walker of another rank")
                                : fmt::format("walker {}: its {} energy", s.bad.walker,
                                              s.bad.kinetic ? "kinetic" : "potential");
    if (!on_trial && static_cast<double>(s.nonfinite) >
                         hopeless_share * static_cast<double>(s.counted + s.nonfinite))
      throw Error(
          ErrorKind::numerical,
          fmt::format("{} of {} local energies are not numbers (the first: {} is not "
                      "finite). The wave function or its parameters are broken; "
                      "nothing was averaged from them",
                      s.nonfinite, s.counted + s.nonfinite, who),
          {.walker = s.bad.walker, .component = s.bad.kinetic ? "kinetic" : "potential"});
    if (first) {
      const std::string text = fmt::format(
          "a local energy was not a number ({} is not finite); it was counted and "
          "left out of every average",
          who);
      warnings_.push_back(text);
      observer_.warning(text);
    }
  }
  if (s.counted > 0 && !std::isfinite(s.energy) && !on_trial)
    throw Error(ErrorKind::numerical, "the mean energy is no longer a number");
  idle_steps_ = s.proposed > 0 && s.accepted == 0 ? idle_steps_ + 1 : 0;
  if (idle_steps_ >= idle_limit)
    throw Error(
        ErrorKind::numerical,
        fmt::format("not one of {} proposed moves was accepted in each of {} steps "
                    "(step size {:.3g} bohr): the walkers stand still. Lower "
                    "sampling.step_size, or look at the wave function",
                    s.proposed, idle_limit, step_size_));
}

// Centre and width of the next step's clip come from this step, so that no step needs a
// second reduction. The width is known once the deviation was taken about a known centre.
void Engine::learn_clip(const StepSample& s) {
  if (s.counted == 0) return;
  if (clip_known_ > 0) {
    clip_deviation_ = s.deviation;
    clip_known_ = 2;
  } else {
    clip_known_ = 1;
  }
  clip_center_ = s.energy;
}

RunRecord Engine::run() {
  check_draw_range(settings_.sampling.walkers, model_.electrons(), 2);
  if (control_.restart) {
    restore(*control_.restart);
  } else {
    if (control_.start) start_from(*control_.start);
    // What was given by itself wins over what the earlier run left.
    if (!control_.parameters.empty()) set_parameters(control_.parameters);
    model_.set_parameters(parameters_);
    begin();
  }
  require_agreement();
  RunHeader header = describe_run(model_, settings_);
  header.resumed = control_.restart.has_value();
  observer_.started(header);
  while (stage_ != Stage::done) {
    // Rank 0's clock and signals; all ranks learn of it with the next reduction.
    if (mesh_.rank() == 0) {
      const std::chrono::duration<double> since =
          std::chrono::steady_clock::now() - last_save_;
      wants_stop_ = asked_to_stop();
      wants_checkpoint_ = since.count() >= settings_.run.checkpoint_seconds;
    }
    Ledger& ledger = mesh_.ledger();
    const std::int64_t collectives = ledger.count(), bytes = ledger.bytes();
    step();
    ++steps_;
    collectives_ += ledger.count() - collectives;
    bytes_per_step_ = std::max(bytes_per_step_, ledger.bytes() - bytes);
    // One rank alone need not wait for the next reduction.
    if (mesh_.ranks() == 1 && asked_to_stop()) stop_now_ = true;
    if (stop_now_ && stage_ != Stage::done) {
      save();
      throw Error(
          ErrorKind::stopped,
          "stopped as asked; the state is saved and 'drover resume' goes on from it");
    }
    if (save_now_ && stage_ != Stage::done) save();
  }
  return finish();
}

bool Engine::asked_to_stop() const {
  return (control_.stop_requested && control_.stop_requested()) ||
         (settings_.run.time_limit_seconds > 0 &&
          seconds() - seconds_before_ > settings_.run.time_limit_seconds);
}

void Engine::save() {
  const Checkpoint state = checkpoint();  // collective: every rank sends its walkers
  if (mesh_.rank() == 0 && control_.save) control_.save(state);
  // A rank that goes on to end the run would take rank 0 with it while it writes.
  mesh_.communicator().barrier();
  last_save_ = std::chrono::steady_clock::now();
  save_now_ = false;
}

RunRecord Engine::finish() {
  RunRecord record;
  RunResult& r = record.result;
  measure_result(r);
  r.optimisation = optimisation_;
  r.warnings.insert(r.warnings.end(), warnings_.begin(), warnings_.end());
  r.nonfinite = nonfinite_;
  r.walkers = settings_.sampling.walkers;
  r.sweeps = settings_.sampling.sweeps;
  r.electrons = model_.electrons();
  r.equilibration_steps = equilibration_steps_;
  r.seed = settings_.run.seed;
  r.devices = mesh_.device_count();
  r.ranks = mesh_.ranks();
  r.step_size = step_size_;
  if (steps_ > 0)
    r.collectives_per_step =
        static_cast<double>(collectives_) / static_cast<double>(steps_);
  r.bytes_per_step = static_cast<double>(bytes_per_step_);
  r.parameters = parameters_;
  r.parameter_errors = parameter_errors_;
  for (const ParameterInfo& p : model_.parameters()) r.parameter_names.push_back(p.name);
  r.state_digest = digest();
  r.seconds = seconds();
  r.seconds_to_first_step = seconds_to_first_step_;
  record.measured = measured_;
  record.final_state = checkpoint();
  if (mesh_.rank() == 0) observer_.finished(r);
  return record;
}

}  // namespace drover
