//===- LinalgExt.td - Attention, sorts, scans and gathers --*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of the iree_linalg_ext dialect that can be expressed by ops of
// linalg.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_LINALGEXT_TD
#define DISTAFF_DIALECT_DISPATCH_LINALGEXT_TD

include "distaff/Dialect/Dispatch/ForeignDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def LinalgExt_Dialect : ForeignDialect<"iree_linalg_ext"> {
  let cppNamespace = "::distaff::dispatch";
  let summary = "Attention, argmax, scans, sorts and gathers of tensors";
  let description = [{
    Distaff reads the ops that ops of linalg can express, and replaces them by
    those when a kernel is read. All have the same syntax: attributes, inputs,
    outputs, a region if the op has one, results:
    ```mlir
    %v, %i = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4x96xf32>)
        outs(%v0, %i0 : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%candidate: f32, %best: f32):
      %c = arith.cmpf ogt, %candidate, %best : f32
      iree_linalg_ext.yield %c : i1
    } -> tensor<4xf32>, tensor<4xi32>
    ```
  }];
}

class LinalgExt_TensorOp<string mnemonic> : Op<LinalgExt_Dialect, mnemonic,
    [Pure, AttrSizedOperandSegments, SingleBlock]> {
  let arguments = (ins Variadic<AnyType>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}

def LinalgExt_AttentionOp : LinalgExt_TensorOp<"attention"> {
  let summary = "softmax(scale * Q * K, along the keys) * V";
  let description = [{
    The inputs are queries, keys, values, a scale and, if there is one, a mask;
    the attribute `indexing_maps` gives the dimensions that index them and the
    output. The region modifies a score.
  }];
}

def LinalgExt_OnlineAttentionOp : LinalgExt_TensorOp<"online_attention"> {
  let summary = "An attention without the division by its sums";
  let description = [{
    Same as `attention`, with the largest scores and the sums of powers as
    further outputs, which are initialized to their identities.
  }];
}

def LinalgExt_ArgCompareOp : LinalgExt_TensorOp<"arg_compare"> {
  let summary = "The best element along a dimension, and its position";
}

def LinalgExt_GatherOp : LinalgExt_TensorOp<"gather"> {
  let summary = "Slices of a tensor at positions";
  let description = [{
    `result[b..., s...] = source[indices[b..., :]..., s...]`, the positions along
    the dimensions that `dimension_map` names.
  }];
}

def LinalgExt_ScanOp : LinalgExt_TensorOp<"scan"> {
  let summary = "Prefix results along a dimension, and the last one";
  let description = [{
    The region combines the prefix result with an element. With
    `inclusive(true)` the first element is the first result; with
    `inclusive(false)` the second output is the first result, and the last
    element is not included.
  }];
}

def LinalgExt_SortOp : LinalgExt_TensorOp<"sort"> {
  let summary = "Sorts tensors in one order along a dimension";
  let description = [{
    The region gets two elements of each output and yields whether the first
    must precede the second. Equal elements keep their order.
  }];
}

def LinalgExt_TopkOp : LinalgExt_TensorOp<"topk"> {
  let summary = "The first elements along a dimension, and their positions";
  let description = [{
    The first `k` of the elements of outputs and input together, in the order of
    the region. Of equal values the one with the smaller index is first.
  }];
}

def LinalgExt_TopkV2Op : LinalgExt_TensorOp<"topk_v2"> {
  let summary = "Same as topk, in an order that `is_sorted` selects";
  let description = [{
    The output of indices may be absent, and they may be of any integer type.
  }];
}

def LinalgExt_Im2colOp : Op<LinalgExt_Dialect, "im2col",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "The elements that a convolution's products read, in rows";
  let description = [{
    An element of the output has an index along each dimension, to which its
    offset is added, and which is split by `output_sizes`. The coordinates are
    those of the batch, of windows, inside of a window, and of channels: at
    window `m` and `k` inside of it the input is read at `m * stride + k *
    dilation`. Outside of the input and in the output's padding the element is
    `pad_value`. Numbers in lists may be values of type index.
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$output,
                       Optional<AnyType>:$padValue, Variadic<Index>:$numbers);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Returns the numbers of a list in their order; of `output_sizes`, without
    /// the inner brackets. Empty if the list is absent.
    ::llvm::SmallVector<::mlir::OpFoldResult> getList(::llvm::StringRef key);
    /// Returns the number of entries of each inner list of `output_sizes`.
    ::llvm::SmallVector<int64_t> getGroups();
    /// Returns the keys of the lists, in the order in which they are written.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getKeys();
  }];
}

def LinalgExt_MapStoreOp : Op<LinalgExt_Dialect, "map_store", [SingleBlock]> {
  let summary = "Writes each element at an index that a region computes";
  let description = [{
    The region gets the index of an element and yields one of the output, and
    whether to write.
  }];
  let arguments = (ins AnyType:$input, AnyType:$output);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $input `into` $output $body attr-dict `:` type($input) `into` type($output)
    (`->` type($result)^)?
  }];
}

def LinalgExt_IndexOp : Op<LinalgExt_Dialect, "index", [Pure]> {
  let summary = "The index of a score along a dimension";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
}

def LinalgExt_YieldOp : Op<LinalgExt_Dialect, "yield",
    [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a region of this dialect";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // DISTAFF_DIALECT_DISPATCH_LINALGEXT_TD
