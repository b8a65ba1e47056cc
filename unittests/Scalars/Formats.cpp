//===- Formats.cpp - Element types and the bits of their numbers ----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Formats.h"

using namespace distaff::scalars;
using distaff::runtime::ScalarType;
using llvm::APFloat;

static const Format allFormats[] = {
    {"i1", ScalarType::I1, 1, nullptr},
    {"i8", ScalarType::I8, 8, nullptr},
    {"i16", ScalarType::I16, 16, nullptr},
    {"i32", ScalarType::I32, 32, nullptr},
    {"i64", ScalarType::I64, 64, nullptr},
    {"f8E4M3FN", ScalarType::F8E4M3FN, 8, &APFloat::Float8E4M3FN()},
    {"f8E5M2", ScalarType::F8E5M2, 8, &APFloat::Float8E5M2()},
    {"f8E4M3FNUZ", ScalarType::F8E4M3FNUZ, 8, &APFloat::Float8E4M3FNUZ()},
    {"f8E5M2FNUZ", ScalarType::F8E5M2FNUZ, 8, &APFloat::Float8E5M2FNUZ()},
    {"f16", ScalarType::F16, 16, &APFloat::IEEEhalf()},
    {"bf16", ScalarType::BF16, 16, &APFloat::BFloat()},
    {"f32", ScalarType::F32, 32, &APFloat::IEEEsingle()},
    {"f64", ScalarType::F64, 64, &APFloat::IEEEdouble()},
};

llvm::ArrayRef<Format> distaff::scalars::formats() { return allFormats; }

const Format &distaff::scalars::format(llvm::StringRef name) {
  for (const Format &each : allFormats)
    if (name == each.name)
      return each;
  llvm_unreachable("an element type of that name is in the table");
}

double distaff::scalars::toDouble(APFloat number) {
  bool lost;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

uint64_t Format::round(double number) const {
  bool lost;
  APFloat rounded(number);
  rounded.convert(*semantics, APFloat::rmNearestTiesToEven, &lost);
  return bitsOf(rounded);
}
