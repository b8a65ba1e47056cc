//===- Devices.h - Where scalar ops run -------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SCALARS_DEVICES_H
#define DISTAFF_UNITTESTS_SCALARS_DEVICES_H

#include "Definitions.h"

namespace distaff::scalars {

/// A target, and what runs the code for it.
struct Device {
  enum class Kind { Simt, Converted, Ptx, Host };
  const char *name;
  const char *target;
  Kind kind;
  bool strictFp = true;
};
/// Those that compute each op as it is defined.
llvm::ArrayRef<Device> devices();
/// Those of GPUs that approximate some ops.
llvm::ArrayRef<Device> relaxedDevices();

/// A kernel that applies an op to arrays of so many elements.
std::string kernelOf(const ScalarOp &op, size_t elements);

/// What a device makes of rows of operands, or why it makes nothing.
struct Results {
  std::vector<uint64_t> values;
  std::string said;
};
Results runOn(const Device &device, const ScalarOp &op,
              llvm::ArrayRef<std::vector<uint64_t>> rows);

} // namespace distaff::scalars

#endif // DISTAFF_UNITTESTS_SCALARS_DEVICES_H
