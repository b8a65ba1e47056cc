//===- PassOptions.td - Options that passes share ----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_ANALYSIS_LEGALITY_PASSOPTIONS
#define DISTAFF_ANALYSIS_LEGALITY_PASSOPTIONS

include "mlir/Pass/PassBase.td"

def TargetOption : Option<"target", "target", "std::string",
                            /*default=*/"\"\"",
                            "Name of the target, as `--target` takes it">;

def StrictFpOption : Option<"strictFp", "strict-fp", "bool",
                            /*default=*/"false",
                            "Keep the order of float sums and products">;

#endif // DISTAFF_ANALYSIS_LEGALITY_PASSOPTIONS
