#include "drover/core/nearest.hpp"

#include <algorithm>
#include <climits>

namespace drover {
namespace {

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0: the whole key
}

std::string_view first_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

// Never every letter of the word: then any other word of its length would do.
int tolerated(std::string_view word) {
  const int size = static_cast<int>(word.size());
  return std::min(std::max(2, size / 3), size - 1);
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1, 0));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      const int changed = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& known) {
  int best = INT_MAX;
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return best <= tolerated(word) ? found : std::nullopt;
}

std::optional<std::string> nearest_key(std::string_view key,
                                       const std::vector<std::string>& known) {
  int best = INT_MAX;
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    const int elsewhere = first_part(key) == first_part(candidate) ? 0 : 1;
    const int distance =
        std::min(edit_distance(key, candidate),
                 elsewhere + edit_distance(last_part(key), last_part(candidate)));
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return best <= tolerated(last_part(key)) ? found : std::nullopt;
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace drover
