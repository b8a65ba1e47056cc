//===- ConfigFlags.h - The flag --config ------------------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DISTAFF_DRIVER_CONFIGFLAGS_H
#define DISTAFF_DRIVER_CONFIGFLAGS_H

#include "distaff/LLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>

namespace distaff {

struct Target;

/// Writes the setting `[KERNEL.]KEY=VALUE` onto a kernel's function, where
/// `configure` prefers it over the kernel's own attributes. KEY is a key of
/// `lowering_config`, or `workgroup_size` or `subgroup_size`; VALUE is a list
/// of integers as 64x64x0, the name of an instruction, or an attribute. For a
/// CPU, KEY may also be a choice that has strategies, and VALUE the name of one
/// (Strategies.h); for another `target`, unless it is null, that is an error.
/// KERNEL may be one of the launches that a kernel becomes; without it the flag
/// applies to every kernel, or among several to the one called `function`.
/// Returns the error in the flag, or nothing.
std::optional<std::string> overrideConfig(ModuleOp module, StringRef function,
                                          StringRef flag, const Target *target);

/// Lists the keys for a target with the values that each accepts, and the
/// kernels of the module (or the one of that name) with the loops that are
/// tiled.
std::string describeConfig(ModuleOp module, StringRef function,
                           const Target &target);

} // namespace distaff

#endif // DISTAFF_DRIVER_CONFIGFLAGS_H
