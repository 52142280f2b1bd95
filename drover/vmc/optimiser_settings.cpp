// An optimiser's settings from those of the run.
#include <algorithm>

#include "drover/vmc/optimise_choice.hpp"
#include "drover/vmc/optimiser.hpp"

namespace drover {

OptimiserSettings OptimiserSettings::of(const OptimiseSettings& given, Objective stage,
                                        std::int64_t parameters, std::int64_t samples) {
  const MethodNumbers n = numbers_of(given, stage);
  const bool own = stage == given.objective;
  OptimiserSettings s;
  s.objective = stage;
  s.method = method_of(given, stage);
  s.average = own ? given.average : 0;
  s.direction = {s.method,
                 stage != Objective::energy,
                 by_samples(s.method, parameters, samples),
                 n.momentum,
                 n.beta2,
                 0.0,
                 n.shift,
                 n.cg_iterations};
  CautionSettings& c = s.caution;
  c.shift = n.shift;
  if (s.method == OptimiseMethod::linear) {
    c.smallest_shift = std::min(0.1, c.shift);
  } else if (s.method == OptimiseMethod::gauss_newton) {
    c.smallest_shift = std::min(1e-5, c.shift);
  } else {
    s.schedule = own ? given.schedule : Schedule::constant;
    s.schedule_steps = given.schedule_steps > 0 ? given.schedule_steps
                                                : std::max<std::int64_t>(given.steps, 1);
    // A rate of the program's own may grow with success; one that was given is kept to.
    const bool may_grow = !is_first_order(s.method) && given.learning_rate < 0.0;
    c.shift = 1.0 / n.learning_rate;
    c.smallest_shift = may_grow ? 0.1 * c.shift : c.shift;
    if (!is_first_order(s.method)) s.absolute = n.shift;
    if (s.method == OptimiseMethod::sr_cg) s.direction.relative = s.relative;
  }
  c.largest_shift = std::max(c.largest_shift, 1e4 * c.shift);
  c.radius = n.trust_radius;
  c.largest_radius = s.method == OptimiseMethod::gauss_newton ? 2.0 : 0.5;
  if (own && given.trust_radius >= 0.0) c.largest_radius = c.radius;
  c.smallest_radius = std::min(c.smallest_radius, c.radius);
  return s;
}

MomentSet OptimiserSettings::moments() const {
  return moments_of(objective, method, direction.by_samples);
}

}  // namespace drover
