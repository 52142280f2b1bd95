// Directions of first-order methods: from the gradient g and what is kept of earlier
// ones. A step is p -= rate d.
//
//   sgd      m <- mu m + g                       d = m      Polyak, 1964
//   adam     m <- mu m + (1 - mu) g,  v <- beta2 v + (1 - beta2) g^2
//            d = (m / (1 - mu^t)) / (sqrt(v / (1 - beta2^t)) + 1e-8)
//                                                Kingma and Ba, ICLR 2015
//   rmsprop  v <- beta2 v + (1 - beta2) g^2,     d = g / (sqrt(v) + 1e-8)
//            v starts at the first g^2: from 0 the first step would be 1/sqrt(1 - beta2)
//            times too long               Tieleman and Hinton, 2012
//   lion     d = sign(mu m + (1 - mu) g),  m <- beta2 m + (1 - beta2) g
//                                                Chen and others, NeurIPS 2023
//
// Only + - * / and sqrt, so every CPU gets the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "drover/vmc/settings.hpp"

namespace drover {

// What a direction leaves for the next one; empty vectors stand for zeros.
struct DirectionMemory {
  std::vector<double> first;   // m; SPRING: the direction itself
  std::vector<double> second;  // v
  std::int64_t updates = 0;    // t

  bool operator==(const DirectionMemory&) const = default;
};

std::vector<double> sgd_direction(std::span<const double> gradient, double momentum,
                                  DirectionMemory& memory);
std::vector<double> adam_direction(std::span<const double> gradient, double momentum,
                                   double beta2, DirectionMemory& memory);
std::vector<double> rmsprop_direction(std::span<const double> gradient, double beta2,
                                      DirectionMemory& memory);
std::vector<double> lion_direction(std::span<const double> gradient, double momentum,
                                   double beta2, DirectionMemory& memory);

// The factor of the learning rate after t updates; T > 0. Cosine: 0 from t = T on.
double schedule_factor(Schedule schedule, std::int64_t t, std::int64_t T);

}  // namespace drover
