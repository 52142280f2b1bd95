// The keys of [jastrow] that follow from the registry of terms: the list of terms, and
// every setting of every term.
#pragma once

#include <vector>

#include "drover/app/input_keys.hpp"

namespace drover::app {

InputKey jastrow_terms_key();
std::vector<InputKey> jastrow_setting_keys();

}  // namespace drover::app
