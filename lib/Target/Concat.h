//===- Concat.h - Tables made of tables -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generation has the instructions of the one before and more. The order is
// that of the parts.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_TARGET_CONCAT_H
#define DISTAFF_LIB_TARGET_CONCAT_H

#include "distaff/Target/Target.h"
#include <array>
#include <utility>

namespace distaff {

namespace detail {
template <size_t... I>
constexpr std::array<MmaRow, sizeof...(I)> toArray(const MmaRow *const *rows,
                                                   std::index_sequence<I...>) {
  return {*rows[I]...};
}
} // namespace detail

/// The rows of all parts, which are arrays of rows, in a row.
template <typename... Parts> constexpr auto concat(const Parts &...parts) {
  constexpr size_t size = (std::tuple_size_v<Parts> + ...);
  const MmaRow *rows[size] = {};
  size_t next = 0;
  auto append = [&](const auto &part) {
    for (const MmaRow &row : part)
      rows[next++] = &row;
  };
  (append(parts), ...);
  return detail::toArray(rows, std::make_index_sequence<size>());
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_CONCAT_H
