// Which method goes with which objective, which numbers of the input it uses, what it has
// to sum and what its steps communicate.
//
//   energy                         linear, sr, sr-cg, min-sr, spring, first-order methods
//   variance, reference variance   gauss-newton, first-order methods
//
// First-order methods (adam, sgd, rmsprop, lion) need the gradient alone. There is no
// Newton method: the second derivatives of a variance need those of the local energy in
// the parameters, which no kernel forms; Gauss-Newton is Newton without them.
#pragma once

#include <cstdint>

#include "drover/mesh/ledger.hpp"
#include "drover/vmc/optimiser_moments.hpp"
#include "drover/vmc/settings.hpp"

namespace drover {

// Throws Error(input), naming the key, when the method is not one of the objective, or a
// number was given that the method does not use.
void check_optimise(const OptimiseSettings& settings);

// The method of a stage: the reference stage that comes before another objective is
// Gauss-Newton's, whatever the settings ask for theirs.
OptimiseMethod method_of(const OptimiseSettings& settings, Objective stage);

bool is_first_order(OptimiseMethod method);
// Steps are rate times a direction that is found once for each accepted point.
bool has_direction(OptimiseMethod method);
// The N x N form is the smaller one: min-sr always, spring when P > N. `samples` is of a
// step, over all walkers.
bool by_samples(OptimiseMethod method, std::int64_t parameters, std::int64_t samples);
// O of every sample stays on its device until the step ends.
bool keeps_slopes(OptimiseMethod method, std::int64_t parameters, std::int64_t samples);

MomentSet moments_of(Objective objective, OptimiseMethod method, bool by_samples = false);

// Throws Error(input) when the N x N form would take longer than any step should.
constexpr std::int64_t most_gathered_samples = 16384;
void check_samples(const OptimiseSettings& settings, std::int64_t parameters,
                   std::int64_t walkers);

// Where a method starts. Numbers that were given win over its own.
struct MethodNumbers {
  double learning_rate = 0.0, momentum = 0.0, beta2 = 0.0, shift = 0.0;
  double trust_radius = 0.0;
  std::int64_t cg_iterations = 20;
};
MethodNumbers numbers_of(const OptimiseSettings& settings, Objective stage);

// What the ledger calls the collectives of a step.
struct StepLabels {
  const char* first;  // the samples at the trial
  static constexpr const char* update = "update";
  static constexpr const char* product = "overlap product";
  static constexpr const char* rows = "slopes of all samples";
};
constexpr StepLabels labels_of(Objective stage) {
  return {stage == Objective::reference_variance ? "reference step"
                                                 : "optimisation step"};
}

// The most that a step of the stage communicates between devices; a run is held to it. A
// step of conjugate gradients may need fewer products, a step whose trial is reverted or
// whose updates end early fewer of all.
Plan plan_of_step(const OptimiseSettings& settings, Objective stage,
                  std::int64_t parameters, std::int64_t walkers);

}  // namespace drover
