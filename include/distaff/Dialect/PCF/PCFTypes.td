//===- PCFTypes.td - Types of the pcf dialect --------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFTYPES_TD
#define DISTAFF_DIALECT_PCF_PCFTYPES_TD

include "distaff/Dialect/PCF/PCFBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class PCF_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<PCF_Dialect, name, traits # [
        DeclareTypeInterfaceMethods<OpAsmTypeInterface, ["getAlias"]>]> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def PCF_SRefType : PCF_Type<"SRef", "sref", [
    DeclareTypeInterfaceMethods<ShapedTypeInterface,
      ["cloneWith", "hasRank"]>]> {
  let summary = "Memory shared by the workers of a scope";
  let description = [{
    Storage without a layout or an address space; both are chosen when it
    becomes a memref. Two different coordinates inside its shape are different
    memory.

    Without a synchronization attribute a write is visible to other workers only
    after a barrier with a fence. With `sync(#s)`, short for the attribute
    `#pcf.sync_on_return`, writes are visible to all workers of `#s` when the op
    that owns the ref returns. Any attribute may be written in its place; only
    those that implement `SyncScopeAttrInterface` can be lowered.

    Example: `!pcf.sref<4x?xf32, #scope>`, `!pcf.sref<8xf32, sync(#scope)>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "::mlir::Attribute":$scope,
    OptionalParameter<"::mlir::Attribute">:$syncScope
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, "::mlir::Attribute":$scope,
        CArg<"::mlir::Attribute", "{}">:$syncScope), [{
      return $_get(elementType.getContext(), shape, elementType, scope,
                   syncScope);
    }]>
  ];
  let extraClassDeclaration = [{
    using ShapedType::Trait<SRefType>::clone;
    using ShapedType::Trait<SRefType>::getElementTypeBitWidth;
    using ShapedType::Trait<SRefType>::getRank;
    using ShapedType::Trait<SRefType>::getNumElements;
    using ShapedType::Trait<SRefType>::isDynamicDim;
    using ShapedType::Trait<SRefType>::hasStaticShape;
    using ShapedType::Trait<SRefType>::getNumDynamicDims;
    using ShapedType::Trait<SRefType>::getDimSize;

    /// Returns whether writes become visible when the ref's owner returns.
    bool isReturnOnlySync() const;

    /// Returns the same memory, not synchronized by its owner.
    SRefType withoutSync() const;
  }];
}

def PCF_ThreadgroupType : PCF_Type<"Threadgroup", "threadgroup"> {
  let summary = "All workers of a scope, and the values they carry";
  let description = [{
    A handle of the whole group. Its payload is a list of values that one phase
    passes to the next: shared ones, each one logical value that the members
    hold together, then private ones, of which every member has its own. A phase
    uses those of its kind; the others may bypass it.

    Example: `!pcf.threadgroup<#scope>`,
    `!pcf.threadgroup<#scope, {index, tensor<64x128xf32>}>`,
    `!pcf.threadgroup<#scope, private: {vector<8x4xf32>}>`,
    `!pcf.threadgroup<#scope, shared: {tensor<64xf32>}, private: {index}>`
  }];
  let parameters = (ins
    "::mlir::Attribute":$scope,
    OptionalArrayRefParameter<"::mlir::Type">:$payload,
    "unsigned":$numShared
  );
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Attribute":$scope,
        CArg<"::llvm::ArrayRef<::mlir::Type>", "{}">:$payload,
        CArg<"bool", "false">:$isPrivate), [{
      return $_get(scope.getContext(), scope, payload,
                   isPrivate ? 0u : unsigned(payload.size()));
    }]>,
    TypeBuilderWithInferredContext<(ins "::mlir::Attribute":$scope,
        "::llvm::ArrayRef<::mlir::Type>":$sharedPayload,
        "::llvm::ArrayRef<::mlir::Type>":$privatePayload), [{
      ::llvm::SmallVector<::mlir::Type> payload(sharedPayload);
      ::llvm::append_range(payload, privatePayload);
      return $_get(scope.getContext(), scope,
                   ::llvm::ArrayRef<::mlir::Type>(payload),
                   unsigned(sharedPayload.size()));
    }]>
  ];
}

def PCF_ClusterType : PCF_Type<"Cluster", "cluster"> {
  let summary = "A named box of a scope's workers, and the values they carry";
  let description = [{
    A handle of the workers whose global ids lie in half-open ranges, one per
    dimension of the grid, fastest first. A bound is a number, `dN` (the N-th of
    the range operands of an op that takes the handle), `sI` (the number of
    workers along dimension I, and only bounds dimension I) or an affine
    expression of these, in the syntax of affine maps. The id identifies the
    cluster in all types; it consists of the names of the enclosing named
    groups, then a leaf.

    Example: `!pcf.cluster<#scope, (0 -> d0), shared: {f32}, ws.producer>`,
    `!pcf.cluster<#scope, (s0 floordiv 2 -> s0), second_half>`
  }];
  let parameters = (ins
    "::mlir::Attribute":$scope,
    "::mlir::AffineMap":$bounds,
    OptionalArrayRefParameter<"::mlir::Type">:$payload,
    "unsigned":$numShared,
    "::distaff::pcf::NsSymAttr":$id
  );
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Attribute":$scope,
        "::mlir::AffineMap":$bounds, "::distaff::pcf::NsSymAttr":$id,
        CArg<"::llvm::ArrayRef<::mlir::Type>", "{}">:$payload,
        CArg<"bool", "false">:$isPrivate), [{
      return $_get(scope.getContext(), scope, bounds, payload,
                   isPrivate ? 0u : unsigned(payload.size()), id);
    }]>,
    TypeBuilderWithInferredContext<(ins "::mlir::Attribute":$scope,
        "::mlir::AffineMap":$bounds, "::distaff::pcf::NsSymAttr":$id,
        "::llvm::ArrayRef<::mlir::Type>":$sharedPayload,
        "::llvm::ArrayRef<::mlir::Type>":$privatePayload), [{
      ::llvm::SmallVector<::mlir::Type> payload(sharedPayload);
      ::llvm::append_range(payload, privatePayload);
      return $_get(scope.getContext(), scope, bounds,
                   ::llvm::ArrayRef<::mlir::Type>(payload),
                   unsigned(sharedPayload.size()), id);
    }]>
  ];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getBounds().getNumResults() / 2; }

    /// Returns the number of range operands that an op on the cluster takes:
    /// one more than the largest `dN`.
    unsigned getNumRangeOperands() const { return getBounds().getNumDims(); }

    ::mlir::AffineExpr getLowerBound(unsigned dim) const {
      return getBounds().getResult(2 * dim);
    }
    ::mlir::AffineExpr getUpperBound(unsigned dim) const {
      return getBounds().getResult(2 * dim + 1);
    }
  }];
}

def PCF_CopyTokenType : TypeDef<PCF_Dialect, "CopyToken"> {
  let mnemonic = "copy_token";
  let summary = "A copy that was started";
  let description = [{
    The result of `pcf.async_copy` and the operand of `pcf.wait`. Loops and
    branches may carry it, and handles as payload.

    Example: `!pcf.threadgroup<#scope, {tensor<64xf32>, !pcf.copy_token}>`
  }];
}

#endif // DISTAFF_DIALECT_PCF_PCFTYPES_TD
