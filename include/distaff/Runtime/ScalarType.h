//===- ScalarType.h - Element types of arrays outside MLIR ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types at the interface of a kernel: those that a .npy file, a
// package's manifest and a device buffer may hold. Values are raw bits; this
// header converts them to and from double.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_SCALARTYPE_H
#define DISTAFF_RUNTIME_SCALARTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace distaff::runtime {

enum class ScalarType : uint8_t {
  I1,
  I2,
  I4,
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

/// Returns the name as MLIR spells the type: "f16", "i32", "f8E4M3FN", "index".
std::string_view name(ScalarType type);
std::optional<ScalarType> parseScalarType(std::string_view name);

/// Returns the bytes of one element of a HostArray; i1, i2, i4 and the fp8
/// types take one.
int64_t byteSize(ScalarType type);
/// Returns the bits of one element in the memory of a kernel: 8 per byte, but
/// for i2 and i4 their own width, for a byte holds several of them.
int64_t bitsInMemory(ScalarType type);
/// Returns the bytes of `elements` of `bits` each: ceil(elements * bits / 8).
/// \pre bits divides 8 or is a multiple of it
int64_t bytesInMemory(int64_t elements, int64_t bits);
bool isFloat(ScalarType type);

/// Returns the descr of a .npy file that holds this type. bf16 and fp8, which
/// NumPy lacks, are stored as their bit patterns: "<u2" and "|u1"; i2 and i4 as
/// the signed bytes "|i1", one per element.
std::string_view npyDescr(ScalarType type);

/// Rounds to nearest even, overflow to infinity (to NaN where there is none: in
/// f8E4M3FN and the FNUZ forms); integers are truncated to their width.
void storeDouble(ScalarType type, double value, void *element);
double loadDouble(ScalarType type, const void *element);
void storeInteger(ScalarType type, int64_t value, void *element);
int64_t loadInteger(ScalarType type, const void *element);

/// Packs the low `bits` bits of each byte, element k from bit `stride` * k on;
/// the bits between are zeros. With 4 bits {1, 2, -1} becomes {0x21, 0x0f} at a
/// stride of 4, and {1, 2, 0x0f} at one of 8.
/// \pre stride divides 8, bits <= stride
std::vector<unsigned char> packNumbers(const std::vector<unsigned char> &bytes,
                                       int64_t bits, int64_t stride);
/// Unpacks to `count` bytes whose upper bits are zeros, the inverse.
/// \post packNumbers(unpackNumbers(p, b, s, n), b, s) == p where p is such a
/// result
std::vector<unsigned char>
unpackNumbers(const std::vector<unsigned char> &packed, int64_t bits,
              int64_t stride, int64_t count);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_SCALARTYPE_H
