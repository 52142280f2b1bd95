#include "drover/app/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "drover/app/duration.hpp"
#include "drover/app/numbers.hpp"
#include "drover/core/version.hpp"

namespace drover::app {
namespace {

constexpr int label_width = 18;
constexpr double redraw_seconds = 0.1;  // a calm picture, also for fast steps
constexpr double first_interval = 1.0;  // between plain lines, then longer
constexpr double longest_interval = 60.0;

double monotonic_seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string bar(double fraction, int width, bool utf8) {
  const double eighths = std::clamp(fraction, 0.0, 1.0) * 8.0 * width;
  const int full = static_cast<int>(eighths) / 8;
  std::string text;
  for (int i = 0; i < full; ++i) text += utf8 ? "█" : "#";
  if (full < width && utf8) {
    constexpr std::array<const char*, 8> parts = {"░", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    text += parts[static_cast<std::size_t>(static_cast<int>(eighths) % 8)];
  } else if (full < width) {
    text += ".";
  }
  for (int i = full + 1; i < width; ++i) text += utf8 ? "░" : ".";
  return text;
}

std::string sent_by_a_step(const RunHeader& header) {
  if (header.collectives_per_step == 0) return "nothing";
  std::string text = counted(header.collectives_per_step, "collective");
  text += ", at most " + bytes_text(static_cast<double>(header.bytes_per_step));
  if (header.ranks > 1) text += " from each rank";
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> header_rows(const RunHeader& header,
                                                             bool utf8) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("system", header.system);
  rows.emplace_back("wave function", header.wave_function);
  rows.emplace_back("parameters", std::to_string(header.parameters));
  std::string devices = counted(header.devices, "device");
  if (header.ranks > 1) devices += " of " + counted(header.ranks, "rank");
  if (!header.device_kind.empty()) devices += ": " + header.device_kind;
  rows.emplace_back("devices", devices);
  constexpr std::size_t places_shown = 8;
  for (std::size_t i = 0; i < std::min(header.places.size(), places_shown); ++i)
    rows.emplace_back("", header.places[i]);
  if (header.places.size() > places_shown)
    rows.emplace_back(
        "", fmt::format(
                "and {}: drover devices lists them",
                counted(static_cast<std::int64_t>(header.places.size() - places_shown),
                        "more rank")));
  std::string walkers =
      fmt::format("{} in {}", header.walkers, counted(header.tiles, "tile"));
  if (header.memory_bytes > 0)
    walkers += fmt::format(", {} on a device",
                           bytes_text(static_cast<double>(header.memory_bytes)));
  rows.emplace_back("walkers", walkers);
  rows.emplace_back("a step sends", sent_by_a_step(header));
  for (const std::string& collective : header.collectives)
    rows.emplace_back("", (utf8 ? "· " : "- ") + collective);
  rows.emplace_back("seed", std::to_string(header.seed));
  return rows;
}

Table::Table(Output& output, std::string folder, Clock clock)
    : output_(output),
      folder_(std::move(folder)),
      clock_(clock ? std::move(clock) : Clock(monotonic_seconds)) {}

std::string Table::dim(const std::string& text) const {
  return output_.colours() ? "\033[2m" + text + "\033[0m" : text;
}
std::string Table::bold(const std::string& text) const {
  return output_.colours() ? "\033[1m" + text + "\033[0m" : text;
}
std::string Table::alert(const std::string& text) const {
  return output_.colours() ? "\033[33m" + text + "\033[0m" : text;
}

void Table::settle() {
  if (!drawn_) return;
  output_.write("\r\033[2K");
  drawn_ = false;
}

void Table::line(const std::string& text) {
  settle();
  output_.write(text + "\n");
}

void Table::row(const std::string& label, const std::string& text) {
  line("  " + dim(left(label, label_width)) + text);
}

void Table::draw(const std::string& text) {
  running_ = text;
  const double now = clock_();
  if (!output_.is_terminal()) {
    if (time_for_a_line()) {
      output_.write(text + "\n");
      running_.clear();
    }
    return;
  }
  if (drawn_ && now - last_drawn_ < redraw_seconds) return;
  last_drawn_ = now;
  output_.write("\r\033[2K" + text);
  drawn_ = true;
}

bool Table::time_for_a_line() {
  const double now = clock_();
  if (now - last_line_ < interval_) return false;
  last_line_ = now;
  interval_ = std::clamp(interval_ * 1.5, first_interval, longest_interval);
  return true;
}

void Table::leave_stage() {
  if (held_back_) {  // the last step of a stage is always shown
    const OptimisationRecord record = *std::exchange(held_back_, std::nullopt);
    print_step(record);
  }
  settle();
  if (!running_.empty()) output_.write(running_ + "\n");
  running_.clear();
  if (notes_ > 0)
    output_.write("    " + dim(counted(notes_, "note") + " in " + folder_ + "/log.txt") +
                  "\n");
  notes_ = 0;
}

void Table::enter(Stage stage, const std::string& title) {
  if (stage_ == stage) return;
  leave_stage();
  stage_ = stage;
  last_line_ = -1e9;
  interval_ = 0.0;
  section(title);
}

void Table::section(const std::string& title) {
  line("");
  line("  " + bold(title));
}

void Table::started(const RunHeader& header) {
  header_ = header;
  line("");
  line("  " + bold(fmt::format("drover {}", version())));
  line("");
  for (const auto& [label, text] : header_rows(header, output_.utf8())) row(label, text);
  if (!folder_.empty()) row("folder", folder_);
  if (header.resumed) row("", "goes on from its last checkpoint");
}

void Table::equilibration_step(const EquilibrationRecord& record) {
  enter(Stage::equilibration, "equilibration");
  const std::string step = record.planned > 0
                               ? fmt::format("step {} of {}", record.step, record.planned)
                               : fmt::format("step {}", record.step);
  draw(fmt::format(
      "    {}{}   step size {} bohr   {}", left(step, 18),
      left(fmt::format("energy {:.3f}", record.energy), 18),
      significant(record.step_size),
      dim(percent(record.acceptance) + " accepted, " + readable_time(record.seconds))));
}

void Table::optimisation_step(const OptimisationRecord& record) {
  if (stage_ == Stage::optimisation && record.objective != objective_) leave_stage();
  if (stage_ != Stage::optimisation || record.objective != objective_) {
    objective_ = record.objective;
    stage_ = stage_ == Stage::optimisation ? Stage::before : stage_;
    std::string title = "optimisation of " + counted(header_.parameters, "parameter");
    if (!objective_.empty()) title += ": " + objective_;
    enter(Stage::optimisation, title);
    line("  " +
         dim(right("step", 6) + right("energy", 18) + right("error", 11) +
             right("variance", 11) + right("acceptance", 12) + right("seconds", 10)));
  }
  if (output_.is_terminal() || time_for_a_line()) {
    held_back_.reset();
    print_step(record);
  } else {
    held_back_ = record;
  }
}

void Table::print_step(const OptimisationRecord& record) {
  std::string text = "  " + right(std::to_string(record.step), 6) +
                     bold(right(with_error(record.energy, record.error), 18)) +
                     right(significant(record.error), 11) +
                     right(significant(record.variance), 11) +
                     right(percent(record.acceptance), 12) +
                     right(fmt::format("{:.2f}", record.seconds), 10);
  constexpr int used = 70;
  if (!record.accepted)
    text += "  " +
            alert(shortened(record.reason.empty() ? "not taken" : record.reason,
                            output_.is_terminal() ? output_.width() - used - 2 : 1000));
  line(text);
}

void Table::measure_step(std::int64_t done, std::int64_t planned, double energy,
                         double error, double seconds_left) {
  enter(Stage::measuring, header_.measure_steps > 0
                              ? "measurement of " + counted(header_.measure_steps, "step")
                              : fmt::format("measurement until the error is {} hartree",
                                            significant(header_.target_error)));
  std::string text = "    ";
  if (planned > 0) {
    const double fraction = static_cast<double>(done) / static_cast<double>(planned);
    if (output_.is_terminal())
      text +=
          bar(fraction, std::clamp(output_.width() - 64, 8, 24), output_.utf8()) + " ";
    text += right(fmt::format("{:.0f} %", 100.0 * std::min(fraction, 1.0)), 5) + "  ";
  }
  text += left("step " + std::to_string(done), 12) +
          bold(left(with_error(energy, error), 18));
  if (seconds_left > 0.0 && done != planned)
    text += dim(readable_time(seconds_left) + " left");
  draw(text);
}

void Table::finished(const RunResult& result) {
  enter(Stage::done, "result");
  row("energy", bold(with_error(result.energy, result.error) + " hartree"));
  row("error", fmt::format("{} hartree, corrected for correlation between steps",
                           significant(result.error)));
  row("", fmt::format("{} hartree, naive", significant(result.error_naive)));
  if (result.error_blocking > 0.0)
    row("", fmt::format("{} hartree, by blocking", significant(result.error_blocking)));
  row("autocorrelation",
      fmt::format("{} steps; {} independent energies", significant(result.tau),
                  significant(std::floor(result.effective_samples))));
  row("R-hat", fmt::format("{:.4f}", result.r_hat));
  std::string variance = significant(result.variance) + " hartree^2";
  if (result.variance_clipped > 0.0)
    variance +=
        fmt::format(", {} of clipped energies", significant(result.variance_clipped));
  row("variance", variance);
  row("kinetic", with_error(result.kinetic, result.kinetic_error) + " hartree");
  row("potential", with_error(result.potential, result.potential_error) + " hartree");
  row("sampling",
      fmt::format("{} x {}, {} each, {} accepted", counted(result.walkers, "walker"),
                  counted(result.steps, "step"), counted(result.sweeps, "sweep"),
                  percent(result.acceptance)));
  if (result.nonfinite > 0)
    row("left out",
        alert(result.nonfinite == 1
                  ? std::string("one energy that was not finite")
                  : fmt::format("{} energies that were not finite", result.nonfinite)));
  row("time", fmt::format("{}; {} us per walker and step", readable_time(result.seconds),
                          significant(result.microseconds_per_walker_step)));
  if (!folder_.empty()) row("folder", folder_);
  if (!result.warnings.empty()) {
    line("");
    for (const std::string& text : result.warnings)
      line("  " + alert("warning: ") + text);
  }
  line("");
}

void Table::warning(std::string_view text) {
  settle();
  line("  " + alert("warning: ") + std::string(text));
}

// While a stage runs its table stays a table: the notes are in the log, here is their
// number.
void Table::note(std::string_view text) {
  const bool running = stage_ != Stage::before && stage_ != Stage::done;
  if (running && !folder_.empty()) {
    ++notes_;
    return;
  }
  line("  " + dim(std::string(text)));
}

}  // namespace drover::app
