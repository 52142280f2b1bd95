// What must not compile: a compiler reads lines of wrong code, one by one the mistakes
// that people make with partial sums, and must answer each with the sentence that helps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Snippet {
  std::string name;
  std::string code;     // with the types U, R, S of its own and their values u, r, s
  std::string message;  // part of the compiler's answer; empty: the line is right
};

const std::vector<Snippet>& snippets() {
  static const std::vector<Snippet> all{
      {"reduce_of_unreduced", "auto v = reduce(u, \"label\");", ""},
      {"linear_operations", "auto v = reduce(2.0 * u - u + to_unreduced(r));", ""},
      {"reduce_twice", "reduce(reduce(u));", "it is reduced already"},
      {"reduce_replicated", "reduce(r);", "it is reduced already"},
      {"reduce_sharded", "reduce(s);", "its rows are no partial sums"},
      {"read", "auto v = u.value();", "has no value to read"},
      {"dereference", "auto v = *u;", "has no value to read"},
      {"change_replicated", "*r = T{};", "discards qualifiers"},
      {"branch", "if (u) {}", "cannot be branched on"},
      {"compare", "bool b = u < 1.0;", "cannot be compared"},
      {"square", "u * u;", "is not linear"},
      {"divide", "u / 2.0;", "is not linear"},
      {"root", "sqrt(u);", "is not linear"},
      {"exponential", "exp(u);", "is not linear"},
      {"add_replicated", "u + r;", "to_unreduced(value)"},
      {"subtract_from_replicated", "r - u;", "reduce() the partials first"},
      {"save", "checkpoint(u);", "depends on the number of devices"},
      {"print", "std::cout << u;", "has no value to print"},
      {"gather_partials", "all_gather(u);", "partials are summed, not gathered"},
      {"collective_on_device", "DeviceContext d; reduce(d, u);",
       "a collective from device code"},
      {"communicator_on_device", "DeviceContext d; d.communicator();",
       "has no member named"},
      {"map_over_unreduced", "map({}, [](auto&& x) { return 1.0; }, u);",
       "must be reduced first"},
      {"map_without_rows", "map_each({}, [](auto&&...) {}, r);",
       "there are no rows to map"},
      {"shard_map_to_replicated",
       "shard_map<Replicated<T>>([](auto&&...) { return T{}; }, s);",
       "cannot make a Replicated"}};
  return all;
}

// All snippets in one file, each under its own file name and with types of its own, so
// that one run of the compiler answers all.
std::string source() {
  std::string text = "#include \"drover/mesh/map.hpp\"\n#include <iostream>\n";
  int width = 1;
  for (const Snippet& snippet : snippets()) {
    text += "namespace drover { namespace " + snippet.name +
            "_ {\nusing T = std::array<double, " + std::to_string(width++) +
            ">;\nvoid f(Unreduced<T> u, Replicated<T> r, Sharded<T> s) {\n#line 1 \"" +
            snippet.name + ".snippet\"\n" + snippet.code + "\n}\n}}\n";
  }
  return text;
}

std::string compiler_answer() {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("drover_misuse_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "misuse.cpp";
  std::ofstream(file) << source();
  const std::string command =
      "LC_ALL=C c++ -std=c++20 -fsyntax-only -w -fmax-errors=0 -I " +
      std::string(DROVER_SOURCE_DIR) + " " + file.string() + " 2>&1";
  std::string answer;
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
      answer.append(buffer, n);
    }
    pclose(pipe);
  }
  std::filesystem::remove_all(folder);
  return answer;
}

// Errors, each from its "In ..." line or file line to the next; a snippet owns those that
// name its file.
std::string errors_of(const std::string& name, const std::string& answer) {
  std::string own;
  std::string block;
  const std::string marker = name + ".snippet:";
  const auto close_block = [&] {
    if (block.find(marker) != std::string::npos) own += block;
    block.clear();
  };
  std::size_t start = 0;
  bool error_seen = false;
  while (start < answer.size()) {
    const std::size_t end = std::min(answer.find('\n', start), answer.size() - 1);
    const std::string line = answer.substr(start, end - start + 1);
    start = end + 1;
    const bool opens = line.find(": In ") != std::string::npos ||
                       (error_seen && line.find("error: ") != std::string::npos);
    if (opens) {
      close_block();
      error_seen = false;
    }
    error_seen = error_seen || line.find("error: ") != std::string::npos;
    block += line;
  }
  close_block();
  return own;
}

TEST(Misuse, does_not_compile_and_the_compiler_says_what_to_write_instead) {
  const std::string answer = compiler_answer();
  ASSERT_FALSE(answer.empty()) << "no compiler ran: the test needs c++ on the PATH";
  for (const Snippet& snippet : snippets()) {
    const std::string errors = errors_of(snippet.name, answer);
    if (snippet.message.empty()) {
      EXPECT_EQ(errors, "") << snippet.code << " must compile";
    } else {
      EXPECT_NE(errors.find("error: "), std::string::npos) << snippet.code << " compiled";
      EXPECT_NE(errors.find(snippet.message), std::string::npos)
          << snippet.name << ": " << snippet.code << "\nwanted: " << snippet.message
          << "\ngot: " << errors;
    }
  }
}

}  // namespace
