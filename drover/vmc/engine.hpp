// The state of a run and its steps; internal to run().
#pragma once

#include <chrono>

#include "drover/vmc/equilibration.hpp"
#include "drover/vmc/herd.hpp"
#include "drover/vmc/optimiser.hpp"
#include "drover/vmc/run.hpp"
#include "drover/vmc/sampling.hpp"

namespace drover {

enum class Stage {
  equilibrate_reference,
  reference,
  equilibrate_energy,
  optimise,
  equilibrate_measure,
  measure,
  done
};

class Engine {
 public:
  Engine(Model& model, const Settings& settings, const Mesh& mesh, RunObserver& observer,
         RunControl& control);
  RunRecord run();

 private:
  // --- engine.cpp: the loop, what all stages share
  void require_agreement() const;
  void begin();
  void step();
  void enter(Stage stage);
  Stage next(Stage stage) const;
  bool has_reference_stage() const;
  bool has_optimise_stage() const;
  Target target() const;
  SampleSpec base_spec() const;
  // One visit (or several) reduced; keeps counts, clip figures, flags.
  StepSample take(SampleSpec spec, std::int64_t visits, std::int64_t discarded_sweeps,
                  const char* label);
  void watch(const StepSample& sample);
  void learn_clip(const StepSample& sample);
  double seconds() const;
  bool asked_to_stop() const;  // rank 0's signals and clock
  void save();
  void set_parameters(const std::vector<double>& values);
  RunRecord finish();

  // --- engine_equilibrate.cpp
  void make_judge(bool equilibrated_before);
  void begin_equilibration();
  void equilibration_step();

  // --- engine_optimise.cpp
  Objective objective() const;  // of the present stage
  void begin_optimisation();
  void optimisation_step();
  StepFigures figures_of(const StepSample& sample, const SampleSpec& spec) const;
  StepSamples step_samples();
  // More updates over the samples of an accepted step; the last trial is sampled afresh
  // like any other. Says in words why they ended early.
  std::string further_updates(const StepSample& sample, SampleSpec spec);

  // --- engine_measure.cpp
  void begin_measuring();
  void measuring_step();
  void plan_ahead(double ratio);
  void join_halves();
  EnergyStatistics statistics() const;
  void measure_result(RunResult& result) const;

  // --- engine_checkpoint.cpp
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& from);
  void start_from(const Checkpoint& other);
  std::string fingerprint() const;  // of what must not change between stop and restart
  std::string digest() const;

  Model& model_;
  const Settings& settings_;
  Mesh mesh_;
  RunObserver& observer_;
  RunControl& control_;
  Sharded<Herd> herd_;

  Stage stage_ = Stage::equilibrate_reference;
  std::int64_t step_ = 0;    // in the stage
  std::int64_t sweeps_ = 0;  // of the whole run: the clock of the random numbers
  std::vector<double> parameters_;
  double step_size_ = 0.0;
  bool step_size_known_ = false;
  // clip figures: 0 nothing known, 1 center, 2 center and width
  std::int64_t clip_known_ = 0;
  double clip_center_ = 0.0, clip_deviation_ = 0.0;
  std::int64_t nonfinite_ = 0, idle_steps_ = 0, equilibration_steps_ = 0;
  std::vector<std::string> warnings_;

  EquilibrationJudge judge_;
  std::optional<StepSizeController> controller_;
  std::optional<Optimiser> optimiser_;
  OptimiserSettings optimiser_settings_;
  std::vector<OptimisationRecord> optimisation_;
  double last_norm_ = 0.0;
  double last_weight_ = 0.0;  // of all samples that are kept
  std::vector<std::uint8_t> frozen_;
  std::vector<double> parameter_errors_;  // of an average that became the result
  bool averaged_ = false;  // the last trial of a stage, its average, was proposed

  // communication of the steps taken by this process
  std::int64_t steps_ = 0, collectives_ = 0, bytes_per_step_ = 0;

  // measuring
  std::vector<MeasureRecord> measured_;
  std::int64_t planned_ = 0, boundary_ = 0;
  double shift_ = 0.0;
  double sum_[2] = {}, squares_[2] = {};  // of e = E - shift over each half
  std::int64_t counted_[2] = {};
  StepSample last_;  // walkers' sums of the newest step

  std::chrono::steady_clock::time_point began_, last_save_, stage_began_;
  double seconds_before_ = 0.0;  // of the runs that this one goes on from
  double seconds_to_first_step_ = -1.0, measuring_seconds_ = 0.0;
  bool wants_stop_ = false, wants_checkpoint_ = false;
  bool stop_now_ = false, save_now_ = false;
};

}  // namespace drover
