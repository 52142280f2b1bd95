// The live table: a header, one line a step, the progress of the measuring stage and a
// block with the result. On a terminal the line of the running stage is drawn over
// itself; anywhere else plain lines come at a rate that falls with time, so that a log of
// a long run stays short.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drover/app/output.hpp"
#include "drover/vmc/observer.hpp"

namespace drover::app {

// Rows of the header: a label and what it says. `check` prints the same.
std::vector<std::pair<std::string, std::string>> header_rows(const RunHeader& header,
                                                             bool utf8);

class Table : public RunObserver {
 public:
  using Clock = std::function<double()>;  // seconds since some moment

  // `folder` is named in the header and at the end; "" leaves it out.
  Table(Output& output, std::string folder, Clock clock = {});
  // Ends a stage that was left by an error: its last line stays to be seen.
  ~Table() override { leave_stage(); }

  void started(const RunHeader& header) override;
  void equilibration_step(const EquilibrationRecord& record) override;
  void optimisation_step(const OptimisationRecord& record) override;
  void measure_step(std::int64_t done, std::int64_t planned, double energy, double error,
                    double seconds_left) override;
  void finished(const RunResult& result) override;
  void warning(std::string_view text) override;
  void note(std::string_view text) override;

  // Ends the line that is drawn over itself, before something else writes.
  void settle();

  // A label in its column and what it says, for header and result; wraps nothing.
  void row(const std::string& label, const std::string& text);
  void line(const std::string& text);
  void section(const std::string& title);

 private:
  enum class Stage { before, equilibration, optimisation, measuring, done };

  void enter(Stage stage, const std::string& title);
  void leave_stage();
  void draw(const std::string& text);  // the running line
  void print_step(const OptimisationRecord& record);
  bool time_for_a_line();
  std::string dim(const std::string& text) const;
  std::string bold(const std::string& text) const;
  std::string alert(const std::string& text) const;

  Output& output_;
  std::string folder_;
  Clock clock_;
  RunHeader header_;
  Stage stage_ = Stage::before;
  std::string objective_;  // of the stage of optimisation
  bool drawn_ = false;     // the running line is on the screen
  double last_drawn_ = -1e9;
  double last_line_ = -1e9, interval_ = 0.0;  // of plain lines, seconds
  std::string running_;  // the newest running line, for the end of its stage
  std::optional<OptimisationRecord> held_back_;
  int notes_ = 0;  // of this stage
};

}  // namespace drover::app
