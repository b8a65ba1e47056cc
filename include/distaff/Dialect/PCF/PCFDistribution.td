//===- PCFDistribution.td - Distribution to members --------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFDISTRIBUTION_TD
#define DISTAFF_DIALECT_PCF_PCFDISTRIBUTION_TD

include "mlir/IR/OpBase.td"

def PCF_DistributionAttrInterface
    : AttrInterface<"DistributionAttrInterface"> {
  let cppNamespace = "::distaff::pcf";
  let description = [{
    A way to distribute phases over the members of a group. It gets bodies and
    classes of payload fields, never the control flow between phases: `match`
    proposes, body by body, distributions for the classes that a body uses,
    until all agree; then `rewrite` fills the members' bodies.
  }];
  let methods = [
    InterfaceMethod<[{
        Proposes distributions for classes that `op` touches, given those that
        are fixed. Changes no IR; may be called again when more is fixed, and
        is after all are. What it does not demand it may propose for open
        classes only; another phase's demand goes first. Failure: the body
        cannot be distributed; `refusal` says the reason.
      }],
      "::llvm::LogicalResult", "match",
      (ins "::distaff::pcf::RunClusterOp":$op,
           "const ::distaff::pcf::WorkerGrid &":$grid,
           "const ::distaff::pcf::PayloadClasses &":$classes,
           "const ::distaff::pcf::FixedClasses &":$fixed,
           "::llvm::SmallVectorImpl<::distaff::pcf::ClassProposal> &":$proposals,
           "::distaff::pcf::Refusal &":$refusal)>,
    InterfaceMethod<[{
        Fills the body of `newOp`, whose arguments exist. All classes that `op`
        touches are fixed, and `match` succeeded: it must not fail. `ids` are
        the member's, counted from the group's lower bounds.
      }],
      "void", "rewrite",
      (ins "::distaff::pcf::RunClusterOp":$op,
           "::distaff::pcf::RunThreadOp":$newOp, "::mlir::ValueRange":$ids,
           "const ::distaff::pcf::WorkerGrid &":$grid,
           "const ::distaff::pcf::PayloadClasses &":$classes,
           "const ::distaff::pcf::FixedClasses &":$fixed,
           "::mlir::RewriterBase &":$rewriter)>,
    InterfaceMethod<[{
        Creates an op, in the body of a phase of `op`'s group, that returns
        `value` with the distribution `to`, for any previous one. By default it
    returns null and creates no op: a value keeps its distribution in a phase.
      }],
      "::mlir::Value", "relay",
      (ins "::distaff::pcf::RunClusterOp":$op,
           "const ::distaff::pcf::WorkerGrid &":$grid,
           "::mlir::Value":$value,
           "const ::distaff::pcf::ClassDistribution &":$to,
           "::mlir::OpBuilder &":$builder),
      [{}], [{ return {}; }]>
  ];
}

#endif // DISTAFF_DIALECT_PCF_PCFDISTRIBUTION_TD
