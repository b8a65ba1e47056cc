//===- RefOwner.h - Text and verifier of ref owners -------------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text, verifier and effects of pcf.generic, pcf.loop and pcf.shared_executor,
// which differ in what they add to the refs: ids and counts, iteration ids, or
// a threadgroup.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_DIALECT_PCF_REFOWNER_H
#define DISTAFF_LIB_DIALECT_PCF_REFOWNER_H

#include "distaff/Dialect/PCF/PCF.h"

namespace distaff::pcf {

/// Parses an op that owns refs. The regions belong to the result before they
/// are parsed: if a later step fails, the parser cleans up only those.
class RefOwnerParser {
public:
  RefOwnerParser(OpAsmParser &parser, OperationState &result)
      : parser(parser), result(result) {}

  /// Parses `[sync bool] scope(attr)`.
  ParseResult parseScope();
  /// Parses `[initialize region -> (%v: type, ...)]`; adds the region in any
  /// case.
  ParseResult parseInitializer();
  /// Parses `execute [(refs)] [trailing arguments]`.
  ParseResult parseExecute();
  /// Parses `[: (types)] [-> (types)] region attr-dict`.
  ParseResult parseTypesAndBody();

  /// Resolves the operands, of which `segments` precede the inits.
  template <typename OpT>
  ParseResult finish(ArrayRef<int32_t> leadingSegments = {}) {
    auto &properties = result.getOrAddProperties<typename OpT::Properties>();
    properties.scope = scope;
    properties.is_tied = parser.getBuilder().getDenseBoolArrayAttr(isTied);
    properties.is_readonly =
        parser.getBuilder().getDenseBoolArrayAttr(isReadonly);
    properties.sync_on_return = sync;
    SmallVector<int32_t> segments(leadingSegments);
    segments.append({static_cast<int32_t>(inits.size()),
                     static_cast<int32_t>(sources.size()),
                     static_cast<int32_t>(dims.size())});
    llvm::copy(segments, properties.operandSegmentSizes.begin());
    return resolveOperands();
  }

  OpAsmParser &parser;
  OperationState &result;
  Attribute scope;
  bool sync = false;
  SmallVector<OpAsmParser::Argument> leading, refs, trailing;

private:
  using Operand = OpAsmParser::UnresolvedOperand;

  ParseResult parseRef();
  ParseResult parseRefTypes();
  ParseResult parseResultTypes();
  ParseResult parseResultDims(unsigned result);
  ParseResult resolveOperands();

  SmallVector<bool> isTied, isReadonly;
  SmallVector<Operand> inits, sources, dims;
  SmallVector<Type> sourceTypes, resultTypes;
  SMLoc loc;
};

/// Prints the part that RefOwnerParser::parseScope parses.
void printScope(OpAsmPrinter &printer, RefOwnerOpInterface op);
/// Prints the rest, including the initializer.
void printRefOwner(OpAsmPrinter &printer, RefOwnerOpInterface op);

/// Verifies every op that owns refs before its regions; its trailing arguments
/// are `numTrailing` values, called `trailing`.
LogicalResult verifyRefOwner(RefOwnerOpInterface op, int64_t numTrailing,
                             StringRef trailing);

/// Verifies that the initializer yields the leading arguments. This runs before
/// the regions, as RegionBranchOpInterface emits its own message after them.
LogicalResult verifyInitializer(RefOwnerOpInterface op);

/// Verifies that the ops of the initializer, which have been verified, have no
/// effects.
LogicalResult verifyInitializerIsPure(RefOwnerOpInterface op);

/// Verifies that the body has one block.
LogicalResult verifySingleBlock(Operation *op, Region &body);

/// Verifies that this block ends in `pcf.return`.
LogicalResult verifyReturn(Operation *op, Region &body);

/// Returns the effects of the op without those of its body.
void getRefOwnerEffects(
    RefOwnerOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects);

/// Returns the successors in the op's control flow.
void getRefOwnerSuccessors(RefOwnerOpInterface op, RegionBranchPoint point,
                           SmallVectorImpl<RegionSuccessor> &successors);
void getRefOwnerInvocations(RefOwnerOpInterface op,
                            SmallVectorImpl<InvocationBounds> &bounds);

/// Sets names for the arguments that are refs.
void nameRefs(RefOwnerOpInterface op, OpAsmSetValueNameFn setName);

/// Adds operands, types and attributes of an op that is built from parts,
/// except the segments, of which `leading` precede the inits.
template <typename OpT>
void addParts(OpBuilder &builder, OperationState &state,
              const RefOwnerParts &parts, ValueRange leading = {}) {
  SmallVector<Value> inits, sources, dims;
  SmallVector<bool> isTied, isReadonly;
  for (const RefOwnerParts::Ref &ref : parts.refs) {
    isReadonly.push_back(ref.isReadonly);
    if (ref.isReadonly) {
      sources.push_back(ref.source);
      continue;
    }
    isTied.push_back(ref.source != nullptr);
    if (ref.source)
      inits.push_back(ref.source);
    else
      llvm::append_range(dims, ref.dims);
    state.addTypes(ref.result);
  }
  auto &properties = state.getOrAddProperties<typename OpT::Properties>();
  properties.scope = parts.scope;
  properties.is_tied = builder.getDenseBoolArrayAttr(isTied);
  properties.is_readonly = builder.getDenseBoolArrayAttr(isReadonly);
  properties.sync_on_return = parts.syncOnReturn;
  SmallVector<int32_t> segments;
  if constexpr (requires(OpT op) { op.getCounts().getTypes(); }) {
    segments.push_back(leading.size());
    state.addOperands(leading);
  }
  segments.append({static_cast<int32_t>(inits.size()),
                   static_cast<int32_t>(sources.size()),
                   static_cast<int32_t>(dims.size())});
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  state.addOperands(inits);
  state.addOperands(sources);
  state.addOperands(dims);
}

/// Adds a region with one empty block of these arguments.
Block *addBody(OpBuilder &builder, OperationState &state, TypeRange types);

} // namespace distaff::pcf

#endif // DISTAFF_LIB_DIALECT_PCF_REFOWNER_H
