// Symbols of the chemical elements and their nuclear charges.
#include "drover/chem/elements.hpp"

#include <array>

#include "drover/chem/text.hpp"

namespace drover {

namespace {

constexpr std::array<const char*, largest_nuclear_charge + 1> symbols = {
    "X",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al",
    "Si", "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co",
    "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb",
    "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs",
    "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm",
    "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi",
    "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk",
    "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg",
    "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

}  // namespace

std::string element_symbol(int charge) {
  const bool known = charge >= 0 && charge <= largest_nuclear_charge;
  return symbols[static_cast<std::size_t>(known ? charge : 0)];
}

int element_charge(std::string_view symbol) {
  const std::string wanted = lower_case(symbol);
  for (int charge = 1; charge <= largest_nuclear_charge; ++charge)
    if (wanted == lower_case(symbols[static_cast<std::size_t>(charge)])) return charge;
  return 0;
}

bool label_fits(std::string_view label, int charge) {
  std::size_t letters = 0;
  while (letters < label.size() && ((label[letters] >= 'a' && label[letters] <= 'z') ||
                                    (label[letters] >= 'A' && label[letters] <= 'Z')))
    ++letters;
  if (letters == 0) return true;  // a number or nothing: there is nothing to contradict
  const int one = element_charge(label.substr(0, 1));
  const int two = letters > 1 ? element_charge(label.substr(0, 2)) : 0;
  if (two == charge) return true;
  // Deuterium and tritium.
  const std::string isotope = lower_case(label.substr(0, letters));
  if (charge == 1 && (isotope == "d" || isotope == "t")) return true;
  // "OW" is the oxygen of water; but "Cr" with 6 is rather chromium whose core potential
  // left 6 electrons than a carbon. A potential takes an even number of electrons, which
  // "Cl" with 6 excludes, and leaves a hydrogen's charge of 1 to none of helium, hafnium,
  // mercury and holmium.
  const bool potential = two > charge && (two - charge) % 2 == 0 && charge != 1;
  return one == charge && !potential;
}

}  // namespace drover
