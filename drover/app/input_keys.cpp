#include "drover/app/input_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "drover/app/input_fields.hpp"
#include "drover/app/term_keys.hpp"
#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;
using namespace fields;

InputKey charge_key() {
  return make_key(
      "system.charge", "charge of the molecule",
      "a whole number from -1000 to 1000, or \"from the file\"",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        if (value.kind == Kind::text && value.text == "from the file") {
          draft.settings.system.charge.reset();
          return;
        }
        if (value.kind != Kind::whole)
          wrong_value(row, value, origin, count_advice(value));
        if (value.whole < -1000 || value.whole > 1000) wrong_value(row, value, origin);
        draft.settings.system.charge = static_cast<int>(value.whole);
      },
      [](const Settings& settings) -> std::optional<std::string> {
        if (!settings.system.charge) return "\"from the file\"";
        return std::to_string(*settings.system.charge);
      });
}

// "12", "0xff" as 64 bits; nothing when it is not all a number or too large.
std::optional<std::uint64_t> parse_seed(const std::string& text) {
  const bool hexadecimal = text.rfind("0x", 0) == 0;
  const std::string digits = hexadecimal ? text.substr(2) : text;
  const char* allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  if (digits.empty() || digits.find_first_not_of(allowed) != std::string::npos)
    return std::nullopt;
  const std::uint64_t base = hexadecimal ? 16 : 10;
  std::uint64_t seed = 0;
  for (const char c : digits) {
    const int lower = c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0';
    const auto digit = static_cast<std::uint64_t>(lower);
    if (seed > (std::numeric_limits<std::uint64_t>::max() - digit) / base)
      return std::nullopt;
    seed = seed * base + digit;
  }
  return seed;
}

InputKey seed_key() {
  return make_key(
      "run.seed", "of the random numbers; 64 bits",
      "a whole number from 0 to 18446744073709551615; from 9223372036854775808 on in "
      "quotes, \"0x\" and hexadecimal digits are fine too",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        if (value.kind == Kind::whole && value.whole >= 0) {
          draft.settings.run.seed = static_cast<std::uint64_t>(value.whole);
          return;
        }
        if (value.kind != Kind::text) wrong_value(row, value, origin);
        const std::optional<std::uint64_t> seed = parse_seed(value.text);
        if (!seed) wrong_value(row, value, origin);
        draft.settings.run.seed = *seed;
      },
      [](const Settings& settings) -> std::optional<std::string> {
        const std::uint64_t seed = settings.run.seed;
        if (seed <= static_cast<std::uint64_t>(no_limit)) return std::to_string(seed);
        return fmt::format("\"{:#x}\"", seed);
      });
}

std::vector<InputKey> make_input_keys() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto changeable = [](InputKey key) {
    key.may_change = true;
    return key;
  };
  std::vector<InputKey> keys;
  const auto add = [&](InputKey key) { keys.push_back(std::move(key)); };

  add(changeable(path_key(
      "wavefunction", "Molden, TREXIO or PySCF checkpoint",
      [](Settings& s) -> std::string& { return s.wavefunction; }, false)));

  add(jastrow_terms_key());
  add(choice_key<std::string>("jastrow.cusp",
                              "\"exact\" by spin, or \"pytc\": 1/2 for every pair",
                              [](Settings& s) -> std::string& { return s.jastrow.cusp; },
                              {{"exact", "exact"}, {"pytc", "pytc"}}));
  add(changeable(path_key(
      "jastrow.parameters", "file of parameters to start from: JSON, or one of pytc",
      [](Settings& s) -> std::string& { return s.jastrow.parameters; }, true)));
  for (InputKey& key : jastrow_setting_keys()) add(std::move(key));

  add(charge_key());
  add(text_list_key(
      "system.excite", "electrons moved to other orbitals of the file",
      "a list such as [\"up 5 -> 6\"] or [\"down 5 -> up 6\"]; orbitals count from 1",
      [](Settings& s) -> std::vector<std::string>& { return s.system.excite; }));

  add(count_key(
      "sampling.walkers", "global, exact",
      [](Settings& s) -> std::int64_t& { return s.sampling.walkers; }, 1,
      std::int64_t{1} << 32));
  add(choice_key<Move>("sampling.move", "electrons moved at a time",
                       [](Settings& s) -> Move& { return s.sampling.move; },
                       {{"one", Move::one}, {"all", Move::all}, {"drift", Move::drift}}));
  add(count_key(
      "sampling.sweeps", "of all electrons between energies",
      [](Settings& s) -> std::int64_t& { return s.sampling.sweeps; }, 1, 1000000));
  add(real_key(
      "sampling.step_size", "bohr; auto: found during equilibration",
      [](Settings& s) -> double& { return s.sampling.step_size; }, 100.0, "auto"));
  add(count_key(
      "sampling.equilibration", "steps; auto: judged by the energy and variance series",
      [](Settings& s) -> std::int64_t& { return s.sampling.equilibration; }, 1, no_limit,
      "auto"));

  for (InputKey& key : optimise_keys()) add(std::move(key));

  add(changeable(real_key(
      "measure.target_error", "hartree; one standard error",
      [](Settings& s) -> double& { return s.measure.target_error; }, 1e6)));
  add(changeable(count_key(
      "measure.steps", "a fixed number wins over target_error; auto: until it is met",
      [](Settings& s) -> std::int64_t& { return s.measure.steps; }, 1, no_limit,
      "auto")));
  add(changeable(count_key(
      "measure.max_steps", "stop here whatever the error is",
      [](Settings& s) -> std::int64_t& { return s.measure.max_steps; }, 1)));

  add(seed_key());
  add(changeable(count_key(
      "run.devices", "per rank",
      [](Settings& s) -> std::int64_t& { return s.run.devices; }, 1, 65536, "all")));
  add(changeable(count_key(
      "run.microbatch", "walkers at a time on a device; never changes a result",
      [](Settings& s) -> std::int64_t& { return s.run.microbatch; }, 1, no_limit,
      "auto")));
  add(changeable(duration_key(
      "run.checkpoint", "between checkpoints; none: only when stopping",
      [](Settings& s) -> double& { return s.run.checkpoint_seconds; }, 0.0, infinity)));
  add(changeable(duration_key(
      "run.time_limit", "stop in time, with a checkpoint",
      [](Settings& s) -> double& { return s.run.time_limit_seconds; }, 1.0, 0.0)));
  add(changeable(path_key(
      "run.start_from", "an earlier run's folder: its walkers and parameters",
      [](Settings& s) -> std::string& { return s.run.start_from; }, true)));
  return keys;
}

}  // namespace

const std::vector<InputKey>& input_keys() {
  static const std::vector<InputKey> keys = make_input_keys();
  return keys;
}

std::string place_of(const InputOrigin& origin, int line, int column) {
  if (!origin.is_file) return origin.name;
  return fmt::format("{}:{}:{}", origin.name, line, column);
}

}  // namespace drover::app
