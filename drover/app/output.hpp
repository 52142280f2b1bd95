// A stream of the terminal: writes whole texts to a descriptor, knows whether a person is
// watching and what that terminal can show, and remembers when nobody reads any more.
#pragma once

#include <string>
#include <string_view>

namespace drover::app {

// Fills what is missing of the descriptors 0, 1 and 2 with ones that refuse writing, so
// that no file of a run gets the number of a stream that was closed before the start, and
// what is meant for the stream does not end up in the file.
void keep_standard_descriptors();

class Output {
 public:
  // Does not own the descriptor. Colours only on a terminal, and not where NO_COLOR is
  // set or TERM is "dumb".
  explicit Output(int descriptor);
  // For tests: a terminal of this width that shows UTF-8 and colours, whatever it is.
  Output(int descriptor, int width);

  // Writes all of it, unless the stream failed before.
  void write(std::string_view text);

  bool is_terminal() const { return terminal_; }
  bool colours() const { return colours_; }
  bool utf8() const { return utf8_; }
  int width() const;  // columns; 80 where it is not known

  // The reader went away (a closed pipe): no fault of ours, and nothing to tell.
  bool closed() const;
  // Anything else that went wrong, in words; "" if nothing did.
  std::string failure() const;

 private:
  int descriptor_;
  bool terminal_, colours_, utf8_;
  int fixed_width_ = 0;
  int error_ = 0;
};

}  // namespace drover::app
