// The set-up of every term, each in its own source; only the registry calls these.
#pragma once

#include "drover/wave/term_registry.hpp"

namespace drover::term_setup {

void build_nuclear_cusp(TermBuild& build);
void set_nuclear_cusp(const std::vector<double>& values, MolecularTables& tables,
                      WavePlan& plan);

// The (m,n,o) of its settings, or pytc's 17.
const std::vector<std::vector<int>>& boys_handy_terms(const TermSettings& settings);
void check_boys_handy(const TermSettings& settings);
void build_boys_handy(TermBuild& build);
void set_boys_handy(const std::vector<double>& values, MolecularTables& tables,
                    WavePlan& plan);

void build_pade(TermBuild& build);
void set_pade(const std::vector<double>& values, MolecularTables& tables, WavePlan& plan);

void build_rexp(TermBuild& build);
void set_rexp(const std::vector<double>& values, MolecularTables& tables, WavePlan& plan);

void build_polynomial(TermBuild& build);
void set_polynomial(const std::vector<double>& values, MolecularTables& tables,
                    WavePlan& plan);

void build_dtn(TermBuild& build);
void set_dtn(const std::vector<double>& values, MolecularTables& tables, WavePlan& plan);

void build_pytc_dtn(TermBuild& build);
void set_pytc_dtn(const std::vector<double>& values, MolecularTables& tables,
                  WavePlan& plan);

void check_neural(const TermSettings& settings);
void build_neural_ee(TermBuild& build);
void build_neural_en(TermBuild& build);
void build_neural_een(TermBuild& build);
void set_neural_ee(const std::vector<double>& values, MolecularTables& tables,
                   WavePlan& plan);
void set_neural_en(const std::vector<double>& values, MolecularTables& tables,
                   WavePlan& plan);
void set_neural_een(const std::vector<double>& values, MolecularTables& tables,
                    WavePlan& plan);

}  // namespace drover::term_setup
