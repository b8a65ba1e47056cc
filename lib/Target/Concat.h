//===- Concat.h - Concatenation of instruction tables -----------*- C++ -*-===//
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
template <typename Row, size_t... I>
constexpr std::array<Row, sizeof...(I)> toArray(const Row *const *rows,
                                                std::index_sequence<I...>) {
  return {*rows[I]...};
}
} // namespace detail

/// Concatenates the rows of all parts, which are arrays of rows.
template <typename Row = MmaRow, typename... Parts>
constexpr auto concat(const Parts &...parts) {
  constexpr size_t size = (sizeof(Parts) + ...) / sizeof(Row);
  const Row *rows[size] = {};
  size_t next = 0;
  auto append = [&](const auto &part) {
    for (const Row &row : part)
      rows[next++] = &row;
  };
  (append(parts), ...);
  return detail::toArray(rows, std::make_index_sequence<size>());
}

} // namespace distaff

#endif // DISTAFF_LIB_TARGET_CONCAT_H
