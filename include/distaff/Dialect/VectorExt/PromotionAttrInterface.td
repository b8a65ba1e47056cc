//===- PromotionAttrInterface.td - Copies to shared memory -*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes, besides a unit attribute, that a to_layout may have as
// `shared_memory_conversion`: how a value is copied to workgroup memory first.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_TD
#define DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_TD

include "mlir/IR/OpBase.td"

def PromotionAttrInterface : AttrInterface<"PromotionAttrInterface"> {
  let cppNamespace = "::distaff::vector_ext";
  let description = [{
    Specifies which threads copy a promoted value, with which layout, and
    whether the lanes wait for each element.
  }];

  let methods = [
    InterfaceMethod<
      "The layout that the value has while it is copied: the threads that hold"
      " it are those that copy. Null leaves it to the compiler.",
      "::distaff::vector_ext::VectorLayoutInterface", "getCopyLayout",
      (ins "::mlir::VectorType":$type, "int64_t":$workgroupSize,
           "int64_t":$subgroupSize)>,
    InterfaceMethod<
      "Whether lanes pair each read with a store, so that the copy passes the"
      " registers by wherever addresses are known to be aligned; otherwise it may"
      " or may not.",
      "bool", "isAsynchronous">,
  ];
}

#endif // DISTAFF_DIALECT_VECTOREXT_PROMOTIONATTRINTERFACE_TD
