"""Makes one program of a document's ```cpp blocks: extract_code.py DOCUMENT OUTPUT.

Blocks follow one another in main(), with all of Drover included; expect(...) ends the program
with 1 and the line in the document where it does not hold.
"""

import pathlib
import re
import sys

BEFORE = """#include <cstdio>
#include <cstdlib>
#include <drover/drover.hpp>
using namespace drover;
#define expect(...) \\
  ((__VA_ARGS__) ? void() \\
                 : (std::printf("%s:%d: not so: %s\\n", __FILE__, __LINE__, #__VA_ARGS__), \\
                    std::exit(1)))
int main() {
"""


def program(name, text):
    """The program's text; #line makes compilers and expect() name the document."""
    parts = []
    for block in re.finditer(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start(1)) + 1
        parts.append(f'#line {line} "{name}"\n{block.group(1)}')
    if not parts:
        raise SystemExit(f"{name}: no ```cpp block found")
    return BEFORE + "".join(parts) + "}\n"


if __name__ == "__main__":
    document, output = map(pathlib.Path, sys.argv[1:])
    output.write_text(program(document.name, document.read_text(encoding="utf-8")),
                      encoding="utf-8")
