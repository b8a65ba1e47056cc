//===- ScalarType.h - Element types of arrays outside MLIR ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that cross the border of a kernel: what a .npy file, a
// package's manifest and a device buffer may hold. Values are raw bits; this
// header converts them to and from double.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_SCALARTYPE_H
#define DISTAFF_RUNTIME_SCALARTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace distaff::runtime {

enum class ScalarType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Index,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ
};

/// The name as MLIR spells the type: "f16", "i32", "f8E4M3FN", "index".
std::string_view name(ScalarType type);
std::optional<ScalarType> parseScalarType(std::string_view name);

/// Bytes of one element in memory; i1 and the fp8 types take one.
int64_t byteSize(ScalarType type);
bool isFloat(ScalarType type);

/// The descr of a .npy file that holds this type. bf16 and fp8, which NumPy
/// lacks, are stored as their bit patterns: "<u2" and "|u1".
std::string_view npyDescr(ScalarType type);

/// Rounds to nearest even, overflow to infinity (to NaN where there is none: in
/// f8E4M3FN and the FNUZ forms); integers are truncated to their width.
void storeDouble(ScalarType type, double value, void *element);
double loadDouble(ScalarType type, const void *element);
void storeInteger(ScalarType type, int64_t value, void *element);
int64_t loadInteger(ScalarType type, const void *element);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_SCALARTYPE_H
