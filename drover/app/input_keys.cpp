#include "drover/app/input_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "drover/app/input_fields.hpp"
#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"

namespace drover::app {
namespace {

using Kind = TomlValue::Kind;
using namespace fields;

std::string term_list_text() {
  std::vector<std::string> quoted;
  for (const std::string& name : jastrow_term_names())
    quoted.push_back(toml_quoted(name));
  return listed(quoted);
}

InputKey terms_key() {
  return make_key(
      "jastrow.terms", "factors of the Jastrow function; [] for none",
      "a list of different names out of " + term_list_text() + "; [] for none",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        if (value.kind == Kind::text)
          wrong_value(row, value, origin,
                      fmt::format("write a list: [{}]", toml_quoted(value.text)));
        if (value.kind != Kind::list) wrong_value(row, value, origin);
        std::vector<std::string> names;
        for (const TomlValue& item : value.items) {
          const auto& known = jastrow_term_names();
          if (item.kind != Kind::text) wrong_value(row, item, origin);
          if (std::find(known.begin(), known.end(), item.text) == known.end()) {
            const std::optional<std::string> meant = nearest(item.text, known);
            wrong_value(row, item, origin,
                        meant ? "did you mean " + toml_quoted(*meant) + "?" : "");
          }
          if (std::find(names.begin(), names.end(), item.text) != names.end())
            wrong_value(row, item, origin, "it is in the list twice");
          names.push_back(item.text);
        }
        draft.term_names = names;
      },
      [](const Settings& settings) -> std::optional<std::string> {
        std::vector<std::string> quoted;
        for (const TermSettings& term : settings.jastrow.terms)
          quoted.push_back(toml_quoted(term.name));
        return fmt::format("[{}]", fmt::join(quoted, ", "));
      });
}

const TermSettings* find_term(const Settings& settings, const std::string& name) {
  for (const TermSettings& term : settings.jastrow.terms)
    if (term.name == name) return &term;
  return nullptr;
}

// A number among a term's own settings, "jastrow.pade.b".
InputKey term_number_key(const std::string& term, const std::string& number,
                         std::string meaning, double low, double high) {
  return make_key(
      "jastrow." + term + "." + number, std::move(meaning),
      fmt::format("a number from {:g} to {:g}", low, high),
      [=](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
          const InputOrigin& origin) {
        if (value.kind != Kind::whole && value.kind != Kind::real)
          wrong_value(row, value, origin);
        const double given =
            value.kind == Kind::whole ? static_cast<double>(value.whole) : value.real;
        if (!(given >= low && given <= high)) wrong_value(row, value, origin);
        draft.term_tables[term].numbers[number] = given;
      },
      [=](const Settings& settings) -> std::optional<std::string> {
        const TermSettings* found = find_term(settings, term);
        if (found == nullptr || found->numbers.count(number) == 0) return std::nullopt;
        return toml_real(found->numbers.at(number));
      });
}

// The powers of Boys-Handy, "jastrow.boys-handy.terms".
InputKey powers_key() {
  return make_key(
      "jastrow.boys-handy.terms", "powers [m, n, o] of each term",
      "a list of different triples [m, n, o] of whole numbers from 0 to 12, not all 0; "
      "[m, n, o] and [n, m, o] are the same",
      [](const InputKey& row, SettingsDraft& draft, const TomlValue& value,
         const InputOrigin& origin) {
        if (value.kind != Kind::list || value.items.empty())
          wrong_value(row, value, origin);
        std::vector<std::vector<int>> triples, sorted;
        for (const TomlValue& item : value.items) {
          if (item.kind != Kind::list || item.items.size() != 3)
            wrong_value(row, item, origin);
          std::vector<int> triple;
          for (const TomlValue& power : item.items) {
            if (power.kind != Kind::whole || power.whole < 0 || power.whole > 12)
              wrong_value(row, power, origin);
            triple.push_back(static_cast<int>(power.whole));
          }
          std::vector<int> order = triple;
          std::sort(order.begin(), order.begin() + 2);
          const std::string written =
              fmt::format("[{}, {}, {}]", triple[0], triple[1], triple[2]);
          if (order == std::vector<int>{0, 0, 0})
            wrong_value(row, item, origin, written + " is a constant");
          if (std::find(sorted.begin(), sorted.end(), order) != sorted.end())
            wrong_value(row, item, origin, written + " is in the list twice");
          triples.push_back(triple);
          sorted.push_back(order);
        }
        draft.term_tables["boys-handy"].terms_mno = triples;
      },
      [](const Settings& settings) -> std::optional<std::string> {
        const TermSettings* found = find_term(settings, "boys-handy");
        if (found == nullptr || found->terms_mno.empty()) return std::nullopt;
        std::string text;
        for (const std::vector<int>& triple : found->terms_mno)
          text +=
              fmt::format("{}[{}]", text.empty() ? "" : ", ", fmt::join(triple, ", "));
        return "[" + text + "]";
      });
}

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

  add(terms_key());
  add(choice_key<std::string>("jastrow.cusp",
                              "\"exact\" by spin, or \"pytc\": 1/2 for every pair",
                              [](Settings& s) -> std::string& { return s.jastrow.cusp; },
                              {{"exact", "exact"}, {"pytc", "pytc"}}));
  add(changeable(path_key(
      "jastrow.parameters", "JSON file of parameters to start from",
      [](Settings& s) -> std::string& { return s.jastrow.parameters; }, true)));
  add(term_number_key("pade", "b", "1/bohr; start of b in a r / (1 + b r)", 1e-3, 1e3));
  add(powers_key());

  add(charge_key());

  add(count_key(
      "sampling.walkers", "global, exact",
      [](Settings& s) -> std::int64_t& { return s.sampling.walkers; }, 1,
      std::int64_t{1} << 32));
  add(choice_key<Move>("sampling.move", "electrons moved at a time",
                       [](Settings& s) -> Move& { return s.sampling.move; },
                       {{"one", Move::one}, {"all", Move::all}}));
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

const std::vector<std::string>& jastrow_term_names() {
  static const std::vector<std::string> names = {"nuclear-cusp", "boys-handy", "pade"};
  return names;
}

const std::vector<InputKey>& input_keys() {
  static const std::vector<InputKey> keys = make_input_keys();
  return keys;
}

std::string place_of(const InputOrigin& origin, int line, int column) {
  if (!origin.is_file) return origin.name;
  return fmt::format("{}:{}:{}", origin.name, line, column);
}

}  // namespace drover::app
