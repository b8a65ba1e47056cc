//===- VectorExt.td - Ops of the iree_vector_ext dialect --*- tablegen -*--===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD

include "distaff/Dialect/VectorExt/VectorExtAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class VectorExt_Op<string mnemonic, list<Trait> traits = []>
    : Op<VectorExt_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Layouts and casts
//===----------------------------------------------------------------------===//

def VectorExt_ToLayoutOp : VectorExt_Op<"to_layout",
    [Pure, AllTypesMatch<["input", "output"]>]> {
  let summary = "Fixes the layout of a value";
  let description = [{
    The identity on the value; its result has `layout`. Where the input has
    another layout, a conversion is due here.

    `shared_memory_conversion` demands that the conversion go through shared
    memory even if a cheaper way exists (a unit attribute: the default copy).
    `mma_kind` says that the value is an operand or result of that instruction.

    A `to_layout` of a constant is an anchor and is not folded.

    Example:
    ```mlir
    %l = iree_vector_ext.to_layout %v to layout(#row) : vector<64xf32>
    ```
  }];
  let arguments = (ins
    AnyShaped:$input,
    VectorLayoutInterface:$layout,
    OptionalAttr<AnyAttr>:$shared_memory_conversion,
    OptionalAttr<AnyAttr>:$mma_kind
  );
  let results = (outs AnyShaped:$output);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "VectorLayoutInterface":$layout), [{
      build($_builder, $_state, input.getType(), input, layout,
            /*shared_memory_conversion=*/nullptr, /*mma_kind=*/nullptr);
    }]>
  ];
  let assemblyFormat = [{
    $input `to` `layout` `(` $layout `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

class VectorExt_CastOp<string mnemonic> : VectorExt_Op<mnemonic, [Pure]> {
  let arguments = (ins AnyVectorOfAnyRank:$input);
  let results = (outs AnyVectorOfAnyRank:$output);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def VectorExt_ToSimdOp : VectorExt_CastOp<"to_simd"> {
  let summary = "Casts a lane's part to the whole value";
  let description = [{
    Joins distributed to undistributed code while a function is distributed; no
    `to_simd` is left afterwards.
  }];
}

def VectorExt_ToSimtOp : VectorExt_CastOp<"to_simt"> {
  let summary = "Casts a whole value to a lane's part";
  let description = [{
    Joins undistributed to distributed code while a function is distributed; no
    `to_simt` is left afterwards.
  }];
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXT_TD
