// log.txt: one line an event as "word name=value name=value ...", so that a program can
// read it; and a list of observers, for whoever wants to hear a run more than once.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "drover/vmc/observer.hpp"

namespace drover::app {

class RunLog : public RunObserver {
 public:
  // `write` takes one line without its end.
  explicit RunLog(std::function<void(std::string_view)> write);

  void started(const RunHeader& header) override;
  void equilibration_step(const EquilibrationRecord& record) override;
  void optimisation_step(const OptimisationRecord& record) override;
  void measure_step(std::int64_t done, std::int64_t planned, double energy, double error,
                    double seconds_left) override;
  void finished(const RunResult& result) override;
  void warning(std::string_view text) override;
  void note(std::string_view text) override;

 private:
  bool due();  // at most one line in ten seconds of stages with many short steps

  std::function<void(std::string_view)> write_;
  std::chrono::steady_clock::time_point last_{};
};

class Observers : public RunObserver {
 public:
  // The texts fill the header's system and wave_function where the engine, which knows no
  // names, left them empty. `cautions` gives what a started run should be warned of.
  using Cautions = std::function<std::vector<std::string>(const RunHeader&)>;
  Observers(std::vector<RunObserver*> all, std::string system, std::string wave_function,
            Cautions cautions = {})
      : all_(std::move(all)),
        system_(std::move(system)),
        wave_function_(std::move(wave_function)),
        cautions_(std::move(cautions)) {}

  // What cautions() gave, for the result's own list of warnings.
  const std::vector<std::string>& given_cautions() const { return given_; }

  void started(const RunHeader& header) override;
  void equilibration_step(const EquilibrationRecord& record) override;
  void optimisation_step(const OptimisationRecord& record) override;
  void measure_step(std::int64_t done, std::int64_t planned, double energy, double error,
                    double seconds_left) override;
  void finished(const RunResult& result) override;
  void warning(std::string_view text) override;
  void note(std::string_view text) override;

 private:
  std::vector<RunObserver*> all_;
  std::string system_, wave_function_;
  Cautions cautions_;
  std::vector<std::string> given_;
  bool finished_ = false;
};

}  // namespace drover::app
