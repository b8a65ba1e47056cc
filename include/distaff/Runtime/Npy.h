//===- Npy.h - NumPy's array file format ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files, versions 1 to 3 of the format (NEP 1). Arrays in
// memory are row-major and little-endian; Fortran order and big-endian files
// are converted on reading.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_RUNTIME_NPY_H
#define DISTAFF_RUNTIME_NPY_H

#include "distaff/Runtime/ScalarType.h"

#include <string>
#include <vector>

namespace distaff::runtime {

/// An array in host memory, row-major.
struct HostArray {
  ScalarType type = ScalarType::F32;
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;

  /// Returns 0 for a shape that has no size; `checkedBytes` tells.
  int64_t numElements() const;
  /// Returns an array of zero bytes. \pre checkedBytes(shape, byteSize(type))
  static HostArray zeros(ScalarType type, std::vector<int64_t> shape);
};

/// Returns the bytes of the largest array that this process may hold, with room
/// for a copy of it: by the machine's memory, and by the limit on address
/// space.
int64_t largestHostArray();

/// Returns whether an array is no larger than that. One without elements takes
/// no memory, whatever its other extents are.
bool fitsHost(const std::vector<int64_t> &shape, ScalarType type);

/// An array as a .npy file describes it, its dtype not yet interpreted.
struct NpyArray {
  std::string descr; ///< kind and size, little-endian: "<f4", "|i1", "<u2".
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;
};

/// Reads a file. Returns the reason of a failure, or an empty string. A
/// truncated, oversized or ill-formed file is refused before anything of its
/// size is allocated.
std::string readNpy(const std::string &path, NpyArray &array);

/// Writes all of them or, where one cannot be written, none (OutputFile.h).
/// Returns the reason of a failure, or an empty string.
std::string
writeNpys(const std::vector<std::pair<std::string, const HostArray *>> &arrays);

/// Writes one file (OutputFile.h). Returns the reason of a failure.
std::string writeNpy(const std::string &path, const HostArray &array);

/// Reads a file as an array of `type`: exact descr, or bit patterns (bf16, fp8;
/// as unsigned integers, or as NumPy saves arrays of ml_dtypes), or float32
/// that is rounded (f16, bf16, fp8). Returns the reason of a failure.
std::string readNpyAs(const std::string &path, ScalarType type,
                      HostArray &array);

} // namespace distaff::runtime

#endif // DISTAFF_RUNTIME_NPY_H
