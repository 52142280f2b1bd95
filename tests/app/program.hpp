// Calls the program in this process, with the small engine and a folder of its own.
#pragma once

#include <string>
#include <vector>

#include "drover/app/commands.hpp"
#include "tests/app/fake_engine.hpp"
#include "tests/app/scratch.hpp"

namespace drover::app {

struct Outcome {
  int code = -1;
  std::string out, err;
};

inline Outcome drover(FakeEngine& fake, const std::vector<std::string>& arguments) {
  const Captured out_file, err_file;
  Output out(out_file.descriptor()), err(err_file.descriptor());
  Outcome outcome;
  outcome.code = run_program(arguments, fake.engine(), out, err);
  outcome.out = out_file.text();
  outcome.err = err_file.text();
  return outcome;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Commands : public InScratch {
 protected:
  void SetUp() override {
    InScratch::SetUp();
    write("water.molden", "[Molden Format]\n[Atoms] AU\n");
    write("water.toml", "wavefunction = \"water.molden\"\n[sampling]\nwalkers = 64\n");
  }
  FakeEngine fake;
};

}  // namespace drover::app
