#include "drover/vmc/optimise_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "drover/core/error.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/vmc/sampling.hpp"

namespace drover {

namespace {

using Method = OptimiseMethod;

constexpr Method all_methods[] = {
    Method::linear, Method::sr,           Method::sr_cg, Method::min_sr,  Method::spring,
    Method::adam,   Method::gauss_newton, Method::sgd,   Method::rmsprop, Method::lion};

bool fits(Objective objective, Method method) {
  if (is_first_order(method)) return true;
  return (objective == Objective::energy) == (method != Method::gauss_newton);
}

// Which numbers a method uses.
bool uses_rate(Method m) {
  return m != Method::linear && m != Method::gauss_newton;
}
bool uses_momentum(Method m) {
  return m == Method::spring || m == Method::adam || m == Method::sgd ||
         m == Method::lion;
}
bool uses_beta2(Method m) {
  return m == Method::adam || m == Method::rmsprop || m == Method::lion;
}

template <class Uses>
std::string methods_where(Uses uses) {
  std::string text;
  for (const Method m : all_methods)
    if (uses(m)) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name_of(m));
  return text;
}

template <class Uses>
void check_used(const char* key, bool given, Method method, Uses uses) {
  if (!given || uses(method)) return;
  throw input_error(
      fmt::format("{}: the method \"{}\" does not use it; it is for {}. Leave it out, or "
                  "choose another optimise.method",
                  key, name_of(method), methods_where(uses)),
      {.key = key});
}

}  // namespace

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::energy:
      return "energy";
    case Objective::variance:
      return "variance";
    case Objective::reference_variance:
      break;
  }
  return "reference-variance";
}

std::string_view name_of(OptimiseMethod method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::linear:
      return "linear";
    case Method::sr:
      return "sr";
    case Method::sr_cg:
      return "sr-cg";
    case Method::min_sr:
      return "min-sr";
    case Method::spring:
      return "spring";
    case Method::gauss_newton:
      return "gauss-newton";
    case Method::adam:
      return "adam";
    case Method::sgd:
      return "sgd";
    case Method::rmsprop:
      return "rmsprop";
    case Method::lion:
      break;
  }
  return "lion";
}

std::string_view name_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::constant:
      return "constant";
    case Schedule::inverse:
      return "inverse";
    case Schedule::cosine:
      break;
  }
  return "cosine";
}

void check_optimise(const OptimiseSettings& s) {
  const Method method = method_of(s, s.objective);
  if (!fits(s.objective, method))
    throw input_error(
        fmt::format("optimise.method: \"{}\" is not a method for the objective \"{}\"; "
                    "those are \"auto\", {}",
                    name_of(method), name_of(s.objective),
                    methods_where([&](Method m) { return fits(s.objective, m); })),
        {.key = "optimise.method"});
  check_used("optimise.learning_rate", s.learning_rate >= 0, method, uses_rate);
  check_used("optimise.momentum", s.momentum >= 0, method, uses_momentum);
  check_used("optimise.beta2", s.beta2 >= 0, method, uses_beta2);
  check_used("optimise.shift", s.shift >= 0, method,
             [](Method m) { return !is_first_order(m); });
  check_used("optimise.cg_iterations", s.cg_iterations > 0, method,
             [](Method m) { return m == Method::sr_cg; });
  check_used("optimise.schedule", s.schedule != Schedule::constant, method, uses_rate);
  if (s.schedule_steps > 0 && s.schedule == Schedule::constant)
    throw input_error(
        "optimise.schedule_steps: a constant schedule does not use it; give "
        "optimise.schedule = \"inverse\" or \"cosine\", or leave it out",
        {.key = "optimise.schedule_steps"});
}

void check_samples(const OptimiseSettings& s, std::int64_t parameters,
                   std::int64_t walkers) {
  const Method method = method_of(s, s.objective);
  const std::int64_t samples = walkers * s.samples;
  if (s.steps == 0 || samples <= most_gathered_samples ||
      !by_samples(method, parameters, samples))
    return;
  throw input_error(
      fmt::format("optimise.method: \"{}\" solves a system of N x N for N samples, and "
                  "{} walkers with {} samples each make N = {}, above {}. Lower "
                  "optimise.samples or sampling.walkers, or use \"{}\" for {} parameters",
                  name_of(method), walkers, s.samples, samples, most_gathered_samples,
                  parameters > 1000 ? "sr-cg" : "sr", parameters),
      {.key = "optimise.method"});
}

OptimiseMethod method_of(const OptimiseSettings& s, Objective stage) {
  if (stage != s.objective) return Method::gauss_newton;
  if (s.method != Method::automatic) return s.method;
  return stage == Objective::energy ? Method::linear : Method::gauss_newton;
}

bool is_first_order(OptimiseMethod m) {
  return m == Method::adam || m == Method::sgd || m == Method::rmsprop ||
         m == Method::lion;
}

bool has_direction(OptimiseMethod m) {
  return is_first_order(m) || m == Method::sr_cg || m == Method::min_sr ||
         m == Method::spring;
}

MomentSet moments_of(Objective objective, OptimiseMethod method, bool by_samples) {
  MomentSet set;
  const bool variance = objective != Objective::energy;
  // A variance over |psi|^2 changes with the density too.
  set.log_slopes = objective != Objective::reference_variance;
  set.squares = objective == Objective::variance;
  set.energy_slopes = variance;
  if (method == Method::gauss_newton) set.slope_overlap = true;
  if (method == Method::linear) return MomentSet::linear_method();
  if (method == Method::sr || method == Method::spring) set.overlap = !by_samples;
  if (method == Method::sr_cg) set.diagonal = true;
  return set;
}

bool by_samples(OptimiseMethod m, std::int64_t parameters, std::int64_t samples) {
  return m == Method::min_sr || (m == Method::spring && parameters > samples);
}

bool keeps_slopes(OptimiseMethod m, std::int64_t parameters, std::int64_t samples) {
  return m == Method::sr_cg || by_samples(m, parameters, samples);
}

MethodNumbers numbers_of(const OptimiseSettings& s, Objective stage) {
  const Method method = method_of(s, stage);
  MethodNumbers n;
  n.trust_radius = method == Method::gauss_newton ? 1.0 : 0.3;
  switch (method) {
    case Method::linear:
      // Below 0.1 hartree the noise of a few thousand samples moves soft parameters more
      // than their gradient does (measured on 36 oscillators, softest curvature 0.4).
      n.shift = 0.3;
      break;
    case Method::gauss_newton:
      n.shift = 1e-2;
      break;
    case Method::spring:
      n.momentum = 0.9;
      [[fallthrough]];
    case Method::sr:
    case Method::sr_cg:
    case Method::min_sr:
      n.learning_rate = 0.1;
      n.shift = 1e-3;
      break;
    case Method::adam:
      n = {0.01, 0.9, 0.999, 0.0, n.trust_radius, n.cg_iterations};
      break;
    case Method::sgd:
      n = {0.01, 0.9, 0.0, 0.0, n.trust_radius, n.cg_iterations};
      break;
    case Method::rmsprop:
      n = {0.01, 0.0, 0.99, 0.0, n.trust_radius, n.cg_iterations};
      break;
    case Method::lion:
      n = {0.003, 0.9, 0.99, 0.0, n.trust_radius, n.cg_iterations};
      break;
    case Method::automatic:
      break;
  }
  if (stage != s.objective) return n;
  const auto given = [](double value, double& number) {
    if (value >= 0.0) number = value;
  };
  given(s.learning_rate, n.learning_rate);
  given(s.momentum, n.momentum);
  given(s.beta2, n.beta2);
  given(s.shift, n.shift);
  given(s.trust_radius, n.trust_radius);
  if (s.cg_iterations > 0) n.cg_iterations = s.cg_iterations;
  return n;
}

Plan plan_of_step(const OptimiseSettings& s, Objective stage, std::int64_t parameters,
                  std::int64_t walkers) {
  const Method method = method_of(s, stage);
  const std::int64_t updates = stage == s.objective ? s.updates : 1;
  const std::int64_t samples = walkers * s.samples;
  SampleSpec spec;
  spec.parameters = parameters;
  spec.moments = moments_of(stage, method, by_samples(method, parameters, samples));
  const std::int64_t bytes = message_bytes(StepSums(spec));
  Plan plan;
  plan.collectives.push_back(
      {CollectiveKind::all_reduce, labels_of(stage).first, 1, bytes});
  if (updates > 1)
    plan.collectives.push_back(
        {CollectiveKind::all_reduce, StepLabels::update, updates - 1, bytes});
  if (method == Method::sr_cg)
    plan.collectives.push_back({CollectiveKind::all_reduce, StepLabels::product,
                                updates * numbers_of(s, stage).cg_iterations,
                                message_bytes(ExactSums(parameters))});
  if (by_samples(method, parameters, samples))
    plan.collectives.push_back(
        {CollectiveKind::all_gather, StepLabels::rows, updates, -1});
  return plan;
}

}  // namespace drover
