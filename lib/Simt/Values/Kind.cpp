//===- Kind.cpp - Type of a register cell ---------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kind.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace distaff;
using namespace distaff::simt;

static std::optional<FloatFormat> formatOf(FloatType type) {
  return llvm::TypeSwitch<Type, std::optional<FloatFormat>>(type)
      .Case([](Float16Type) { return FloatFormat::F16; })
      .Case([](BFloat16Type) { return FloatFormat::BF16; })
      .Case([](Float32Type) { return FloatFormat::F32; })
      .Case([](Float64Type) { return FloatFormat::F64; })
      .Case([](FloatTF32Type) { return FloatFormat::TF32; })
      .Case([](Float8E4M3FNType) { return FloatFormat::F8E4M3FN; })
      .Case([](Float8E5M2Type) { return FloatFormat::F8E5M2; })
      .Case([](Float8E4M3FNUZType) { return FloatFormat::F8E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return FloatFormat::F8E5M2FNUZ; })
      .Default([](Type) { return std::nullopt; });
}

std::optional<Kind> Kind::of(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isIndex())
    return Kind::index();
  if (auto integer = dyn_cast<IntegerType>(type))
    if (integer.getWidth() >= 1 && integer.getWidth() <= 64)
      return Kind::integer(integer.getWidth());
  if (auto floating = dyn_cast<FloatType>(type))
    if (std::optional<FloatFormat> format = formatOf(floating))
      return Kind::ofFloat(*format);
  return std::nullopt;
}
