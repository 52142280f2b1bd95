// Which Drover this is: "0.1.0", or with the git commit it was built from,
// "0.1.0+g3fca12b9d0e1", ".dirty" appended when that commit had been changed.
//
// The build makes the one source file that holds the text (cmake/DroverVersion.cmake).
#pragma once

namespace drover {

// The version of the library that is linked, for --version and result files; never null.
const char* version();

}  // namespace drover
