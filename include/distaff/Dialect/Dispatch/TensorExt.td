//===- TensorExt.td - Tensors in bindings ------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the iree_tensor_ext dialect in IREE's dumps of a dispatch.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_TENSOREXT_TD
#define DISTAFF_DIALECT_DISPATCH_TENSOREXT_TD

include "distaff/Dialect/Dispatch/ForeignDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TensorExt_Dialect : ForeignDialect<"iree_tensor_ext"> {
  let cppNamespace = "::distaff::dispatch";
  let summary = "Tensors in the buffers of a dispatch, and its workload";
  let description = [{
    Distaff reads the part that IREE's dumps of a dispatch have.
  }];
}

def TensorExt_DispatchTensorType : TypeDef<TensorExt_Dialect, "DispatchTensor"> {
  let mnemonic = "dispatch.tensor";
  let summary = "A tensor in a buffer that a launch passes";
  let description = [{
    Example: `!iree_tensor_ext.dispatch.tensor<readonly:tensor<64x48xf32>>`
  }];
  let parameters = (ins
    StringRefParameter<"readonly, writeonly or readwrite">:$access,
    "::mlir::RankedTensorType":$bound);
  let hasCustomAssemblyFormat = 1;
}

// Not the type's definition, as a format would omit its name.
def TensorExt_AnyDispatchTensor
    : Type<CPred<"::llvm::isa<::distaff::dispatch::DispatchTensorType>($_self)">,
           "a tensor in a buffer">;

class TensorExt_Op<string mnemonic, list<Trait> traits = []>
    : Op<TensorExt_Dialect, mnemonic, traits>;

defvar sliceFormat = [{
  `,` `offsets` `=` custom<DynamicIndexList>($offsets, $static_offsets)
  `,` `sizes` `=` custom<DynamicIndexList>($sizes, $static_sizes)
  `,` `strides` `=` custom<DynamicIndexList>($strides, $static_strides)
  attr-dict `:`
}];

defvar mixedSlice = [{
  ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets() {
    return ::mlir::getMixedValues(getStaticOffsets(), getOffsets(), getContext());
  }
  ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes() {
    return ::mlir::getMixedValues(getStaticSizes(), getSizes(), getContext());
  }
  ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides() {
    return ::mlir::getMixedValues(getStaticStrides(), getStrides(), getContext());
  }
}];

def TensorExt_DispatchTensorLoadOp : TensorExt_Op<"dispatch.tensor.load",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Reads a slice of a tensor in a buffer";
  let arguments = (ins
    TensorExt_AnyDispatchTensor:$source, Variadic<Index>:$source_dims,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = !strconcat("$source", sliceFormat,
    "type($source) (`{` $source_dims^ `}`)? `->` type($result)");
  let extraClassDeclaration = mixedSlice;
  let hasVerifier = 1;
}

def TensorExt_DispatchTensorStoreOp : TensorExt_Op<"dispatch.tensor.store",
    [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a slice of a tensor in a buffer";
  let arguments = (ins
    AnyRankedTensor:$value,
    TensorExt_AnyDispatchTensor:$target, Variadic<Index>:$target_dims,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes, Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides);
  let assemblyFormat = !strconcat("$value `,` $target", sliceFormat,
    "type($value) `->` type($target) (`{` $target_dims^ `}`)?");
  let extraClassDeclaration = mixedSlice;
  let hasVerifier = 1;
}

def TensorExt_DispatchWorkloadOrdinalOp
    : TensorExt_Op<"dispatch.workload.ordinal", [Pure,
        AllTypesMatch<["operand", "result"]>]> {
  let summary = "Marks a value as a part of the workload";
  let arguments = (ins Index:$operand, IndexAttr:$ordinal);
  let results = (outs Index:$result);
  let assemblyFormat = "$operand `,` $ordinal attr-dict `:` type($operand)";
}

def TensorExt_DispatchWorkgroupCountFromSliceOp
    : TensorExt_Op<"dispatch.workgroup_count_from_slice", [Pure]> {
  let summary = "The workgroups that the tiling of the function determines";
  let arguments = (ins Variadic<Index>:$operands);
  let results = (outs Index:$x, Index:$y, Index:$z);
  let assemblyFormat = "`(` ($operands^)? `)` attr-dict";
}

#endif // DISTAFF_DIALECT_DISPATCH_TENSOREXT_TD
