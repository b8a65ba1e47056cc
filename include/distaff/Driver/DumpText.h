//===- DumpText.h - Adapting IREE's dumps for the parser --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE prints the host's program together with the executables, in dialects
// that a kernel does not need, each with an assembly format of its own:
//
//   util.func public @add(%arg0: !hal.buffer_view) -> ... {
//     %0 = stream.tensor.import on(#hal.device.affinity<@d>) %arg0 : ...
//   }
//
// MLIR's parser cannot skip an unknown op, so text that has no meaning here is
// blanked before it is parsed. The spellings of IREE's later versions of MLIR
// are replaced by those of this version, from a table:
//
//   gpu.barrier memfence [#gpu.address_space<workgroup>]    (a barrier here)
//   nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16] : (...)
//   amdgpu.mfma 16x16x16 %a * %b + %c : vector<4xf16>, ...
//
// Every character keeps its line, and those before a replaced spelling keep
// their column.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_DUMPTEXT_H
#define DISTAFF_DRIVER_DUMPTEXT_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

/// Returns the text of a dump as it is parsed: with spaces for ops `util.func`,
/// `util.global` and `util.initializer` that begin a line, their regions
/// included, and with the spellings of this version of MLIR (VX-184).
std::string adaptDump(StringRef text);

} // namespace distaff

#endif // DISTAFF_DRIVER_DUMPTEXT_H
