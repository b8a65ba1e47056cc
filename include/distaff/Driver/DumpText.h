//===- DumpText.h - IREE's dumps as they are parsed -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IREE prints the host's program beside the executables, in dialects of which a
// kernel needs nothing, each with an assembly format of its own:
//
//   util.func public @add(%arg0: !hal.buffer_view) -> ... {
//     %0 = stream.tensor.import on(#hal.device.affinity<@d>) %arg0 : ...
//   }
//
// MLIR's parser skips no op that it does not know, so what has no meaning here
// is blanked before it reads the text. What the MLIR of IREE's later versions
// writes otherwise is put as this one reads it, by a table of spellings:
//
//   gpu.barrier memfence [#gpu.address_space<workgroup>]    (a barrier here)
//   nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16] : (...)
//   amdgpu.mfma 16x16x16 %a * %b + %c : vector<4xf16>, ...
//
// Every character keeps its line, and those in front of what is put otherwise
// their column.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DRIVER_DUMPTEXT_H
#define DISTAFF_DRIVER_DUMPTEXT_H

#include "distaff/LLVM.h"
#include <string>

namespace distaff {

/// The text of a dump as it is parsed: with spaces for ops `util.func`,
/// `util.global` and `util.initializer` that begin a line, their regions
/// included, and with the spellings of this version of MLIR (VX-184).
std::string adaptDump(StringRef text);

} // namespace distaff

#endif // DISTAFF_DRIVER_DUMPTEXT_H
