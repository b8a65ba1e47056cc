//===- Package.cpp - Kernel packages: formulas, lookups -------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Package.h"

#include <algorithm>
#include <cassert>
#include <cctype>

namespace distaff::runtime {

Formula Formula::binary(Kind kind, Formula lhs, Formula rhs) {
  assert(kind != Kind::Constant && kind != Kind::Extent &&
         "an operation has two operands");
  Formula result{kind, 0, {std::move(lhs), std::move(rhs)}};
  bool isConstant = std::all_of(
      result.operands.begin(), result.operands.end(),
      [](const Formula &operand) { return operand.kind == Kind::Constant; });
  if (isConstant)
    if (std::optional<int64_t> value = result.evaluate({}))
      return constant(*value);
  return result;
}

Formula Formula::substitute(const std::vector<Formula> &by) const {
  if (kind == Kind::Constant)
    return *this;
  if (kind == Kind::Extent) {
    assert(value >= 0 && value < static_cast<int64_t>(by.size()) &&
           "each extent becomes a formula");
    return by[value];
  }
  assert(operands.size() == 2 && "an operation has two operands");
  return binary(kind, operands[0].substitute(by), operands[1].substitute(by));
}

static std::optional<int64_t> floorDivide(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || (lhs == INT64_MIN && rhs == -1))
    return std::nullopt;
  int64_t quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t>
Formula::evaluate(const std::vector<int64_t> &extents) const {
  if (kind == Kind::Constant)
    return value;
  if (kind == Kind::Extent)
    return value >= 0 && value < static_cast<int64_t>(extents.size())
               ? std::optional(extents[value])
               : std::nullopt;
  assert(operands.size() == 2 && "an operation has two operands");
  std::optional<int64_t> lhs = operands[0].evaluate(extents);
  std::optional<int64_t> rhs = operands[1].evaluate(extents);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(*lhs, *rhs, &result) ? std::nullopt
                                                       : std::optional(result);
  case Kind::Subtract:
    return __builtin_sub_overflow(*lhs, *rhs, &result) ? std::nullopt
                                                       : std::optional(result);
  case Kind::Multiply:
    return __builtin_mul_overflow(*lhs, *rhs, &result) ? std::nullopt
                                                       : std::optional(result);
  case Kind::FloorDivide:
    return floorDivide(*lhs, *rhs);
  case Kind::CeilDivide: {
    // ceil(a / b) = -floor(-a / b)
    if (*lhs == INT64_MIN)
      return std::nullopt;
    std::optional<int64_t> quotient = floorDivide(-*lhs, *rhs);
    return quotient ? std::optional(-*quotient) : std::nullopt;
  }
  case Kind::Modulo: {
    std::optional<int64_t> quotient = floorDivide(*lhs, *rhs);
    return quotient ? std::optional(*lhs - *quotient * *rhs) : std::nullopt;
  }
  case Kind::Minimum:
    return std::min(*lhs, *rhs);
  default:
    return std::max(*lhs, *rhs);
  }
}

CodeObject CodeObject::of(std::string kind, std::string architecture,
                          std::string bytes) {
  CodeObject object{std::move(kind),      std::move(architecture), 0, 0,
                    Compatibility::Exact, std::move(bytes)};
  const std::string &name = object.architecture;
  if (name.compare(0, 3, "sm_") != 0)
    return object;
  size_t end = 3;
  int number = 0;
  for (; end < name.size() && std::isdigit(name[end]) && number < 10000; ++end)
    number = number * 10 + (name[end] - '0');
  object.major = number / 10;
  object.minor = number % 10;
  // A trailing letter marks code for that capability alone.
  if (end == name.size())
    object.compatibility =
        object.kind == "ptx" ? Compatibility::Later : Compatibility::SameMajor;
  return object;
}

bool CodeObject::runsOn(int deviceMajor, int deviceMinor) const {
  switch (compatibility) {
  case Compatibility::Later:
    return deviceMajor > major ||
           (deviceMajor == major && deviceMinor >= minor);
  case Compatibility::SameMajor:
    return deviceMajor == major && deviceMinor >= minor;
  case Compatibility::Exact:
    return deviceMajor == major && deviceMinor == minor;
  }
  return false;
}

std::vector<const Parameter *> Package::parameters() const {
  std::vector<const Parameter *> all;
  for (const Parameter &argument : arguments)
    all.push_back(&argument);
  for (const Parameter &result : results)
    all.push_back(&result);
  return all;
}

const Parameter *Package::findParameter(const std::string &name) const {
  for (const Parameter *parameter : parameters())
    if (parameter->name == name)
      return parameter;
  return nullptr;
}

} // namespace distaff::runtime
