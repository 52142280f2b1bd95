// Symbols of the chemical elements and their nuclear charges.
#pragma once

#include <string>
#include <string_view>

namespace drover {

inline constexpr int largest_nuclear_charge = 118;

// "H", "He", ... for 1 <= charge <= 118; "X" for a centre without a nucleus.
std::string element_symbol(int charge);

// Nuclear charge of a symbol in any case; 0 when there is no such element.
int element_charge(std::string_view symbol);

// Whether an atom's label ("O", "LI", "C12", "H_3", "OW", "D") can belong to an element.
// Not when a core potential of the element of its first two letters may have left that
// charge: "Cr" with 6.
bool label_fits(std::string_view label, int charge);

}  // namespace drover
