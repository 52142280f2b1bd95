// What must not compile, and what to write instead.
//
// An Unreduced holds partials; a function of its value other than a linear one needs the
// value first. Each overload here catches one such line and stops the compiler with the
// fix.
#pragma once

#include <iosfwd>
#include <string_view>

#include "drover/mesh/placement.hpp"

namespace drover {

// --- reducing twice, or what is no partial
// -------------------------------------------------
template <class T>
void reduce(const Replicated<T>&, std::string_view = "") {
  static_assert(
      detail::always_false<T>,
      "[reduce] this value is Replicated: it is reduced already, and summing it "
      "again would count it once per device; use it as it is");
}
template <class T>
void reduce(const Sharded<T>&, std::string_view = "") {
  static_assert(
      detail::always_false<T>,
      "[reduce] this value is Sharded: its rows are no partial sums; sum over them "
      "with map_sum, or collect them with all_gather");
}
template <class T>
void reduce_scatter(const Replicated<T>&, std::string_view = "") {
  static_assert(
      detail::always_false<T>,
      "[reduce_scatter] this value is Replicated: it is reduced already; take each "
      "device's rows with local_slice");
}

// --- communicating from device code
// --------------------------------------------------------
template <class... A>
void reduce(const DeviceContext&, A&&...) {
  static_assert(
      detail::always_false<A...>,
      "[reduce] a collective from device code: return the partial from the map and "
      "reduce it once, after the map");
}
template <class... A>
void all_gather(const DeviceContext&, A&&...) {
  static_assert(
      detail::always_false<A...>,
      "[all_gather] a collective from device code: return the rows from the map "
      "and gather them after it");
}

// --- saving, showing or gathering a partial
// ------------------------------------------------
template <class P>
void checkpoint(const Unreduced<P>&) {
  static_assert(
      detail::always_false<P>,
      "[checkpoint] this value is Unreduced: it depends on the number of devices; "
      "reduce() it first and save the value");
}
template <class P>
void all_gather(const Unreduced<P>&, std::string_view = "") {
  static_assert(
      detail::always_false<P>,
      "[all_gather] this value is Unreduced: partials are summed, not gathered; "
      "use reduce()");
}
template <class P>
void gather(const Unreduced<P>&, std::string_view = "") {
  static_assert(
      detail::always_false<P>,
      "[gather] this value is Unreduced: partials are summed, not gathered; use "
      "reduce()");
}
template <class P>
std::ostream& operator<<(std::ostream& out, const Unreduced<P>&) {
  static_assert(detail::always_false<P>,
                "[Unreduced] has no value to print: reduce() it first");
  return out;
}

// --- adding to a value
// ---------------------------------------------------------------------
namespace detail {
template <class P>
constexpr void refuse_mixed_sum() {
  static_assert(
      always_false<P>,
      "[Unreduced] cannot be added to a Replicated, which would be counted once "
      "per device: reduce() the partials first, or convert the value with "
      "to_unreduced(value), which puts it on device 0 alone");
}
template <class P>
constexpr void refuse_nonlinear() {
  static_assert(
      always_false<P>,
      "[Unreduced] this function is not linear, so that of the sum is not the sum "
      "of that of the partials: reduce() first, then apply it to the value "
      "(dividing by a number s: write (1 / s) * u)");
}
}  // namespace detail

template <class P, class T>
void operator+(const Unreduced<P>&, const Replicated<T>&) {
  detail::refuse_mixed_sum<P>();
}
template <class P, class T>
void operator+(const Replicated<T>&, const Unreduced<P>&) {
  detail::refuse_mixed_sum<P>();
}
template <class P, class T>
void operator-(const Unreduced<P>&, const Replicated<T>&) {
  detail::refuse_mixed_sum<P>();
}
template <class P, class T>
void operator-(const Replicated<T>&, const Unreduced<P>&) {
  detail::refuse_mixed_sum<P>();
}

// --- functions that are not linear
// ---------------------------------------------------------
template <class P, class Q>
void operator*(const Unreduced<P>&, const Unreduced<Q>&) {
  detail::refuse_nonlinear<P>();
}
template <class P, class X>
void operator/(const Unreduced<P>&, const X&) {
  detail::refuse_nonlinear<P>();
}
template <class P>
void operator/(double, const Unreduced<P>&) {
  detail::refuse_nonlinear<P>();
}
template <class P>
void sqrt(const Unreduced<P>&) {
  detail::refuse_nonlinear<P>();
}
template <class P>
void exp(const Unreduced<P>&) {
  detail::refuse_nonlinear<P>();
}
template <class P>
void log(const Unreduced<P>&) {
  detail::refuse_nonlinear<P>();
}
template <class P>
void abs(const Unreduced<P>&) {
  detail::refuse_nonlinear<P>();
}

// --- branching
// -----------------------------------------------------------------------------
namespace detail {
template <class P>
constexpr void refuse_branch() {
  static_assert(
      always_false<P>,
      "[Unreduced] cannot be compared: each device holds a part of the value only; "
      "reduce() first and branch on the value");
}
}  // namespace detail
template <class P, class X>
bool operator<(const Unreduced<P>&, const X&) {
  detail::refuse_branch<P>();
  return false;
}
template <class P, class X>
bool operator>(const Unreduced<P>&, const X&) {
  detail::refuse_branch<P>();
  return false;
}
template <class P, class X>
bool operator==(const Unreduced<P>&, const X&) {
  detail::refuse_branch<P>();
  return false;
}

}  // namespace drover
