//===- Distaff.td - Ops of the distaff dialect -------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that upstream lacks: contractions over any semiring, and stores of
// matrices by a subgroup.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISTAFF_DISTAFF_TD
#define DISTAFF_DIALECT_DISTAFF_DISTAFF_TD

include "distaff/Dialect/Distaff/CombineKind.td"
include "mlir/Dialect/Vector/Interfaces/MaskableOpInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Distaff_Dialect : Dialect {
  let name = "distaff";
  let cppNamespace = "::distaff::core";
  let summary = "Ops on n-D vectors that upstream dialects lack";
  let description = [{
    Contractions whose product is not the multiplication, or whose sum is none
    of the vector dialect's combining kinds; and ops of one lane's program that
    the GPU dialects lack.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::vector::VectorDialect",
                           "::mlir::arith::ArithDialect"];
}

def Distaff_CombineKindAttr
    : EnumAttr<Distaff_Dialect, Distaff_CombineKind, "combine">;

class Distaff_Op<string mnemonic, list<Trait> traits = []>
    : Op<Distaff_Dialect, mnemonic, traits>;

def Distaff_ContractOp : Distaff_Op<"contract",
    [Pure, SingleBlock, IsolatedFromAbove,
     DeclareOpInterfaceMethods<MaskableOpInterface>]> {
  let summary = "Contracts two vectors over any semiring";
  let description = [{
    For each element of the result, over the points of the iteration space that
    maps send there:

        result = acc (+) product(lhs, rhs) (+) product(lhs, rhs) (+) ...

    `vector.contract` is the case where the product multiplies. Here the sum
    (+) is any combining kind of the vector dialect or `logsumexp`, and the
    product is a region `(a, b) -> c` of pure ops that uses no value from
    outside. Products of one op are written by their name, which stands for the
    region that widens the operands to the type of the accumulator (floats
    exactly, integers by their sign) and combines them:

    ```mlir
    // Shortest paths: the least sum over k.
    %d = distaff.contract <minimumf, add> {indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c
        : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32>
    // The sum of squared distances.
    %e = distaff.contract <add, region> {indexing_maps = [#mk, #kn, #mn],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c
        : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32> {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %p = arith.mulf %d, %d : f32
      distaff.yield %p : f32
    }
    ```

    `x logsumexp y` is log(exp x + exp y), computed from the largest term and
    the sum of the others relative to it, so that no intermediate result
    overflows unless the result does; the identity is -inf.

    With a mask, an i1 per point of the iteration space, products of points
    where it is false are replaced by the identity of the sum:

    ```mlir
    %f = distaff.contract <minimumf, add> {...} %a, %b, %c mask %m
        : vector<8x16xf32>, vector<16x8xf32>, vector<8x8x16xi1>
        into vector<8x8xf32>
    ```

    `vector.mask` around it has the same meaning, and is canonicalized to that
    form; a product counts where both masks are true.

    Products are combined in the order of the reduced dims, row by row; this
    order may change unless strict floating point is set.

    A contraction that multiplies and combines by one of the vector dialect's
    kinds, over dims that both operands have, is canonicalized to
    `vector.contract`, for which there are instructions.
  }];
  let arguments = (ins
    AnyVectorOfAnyRank:$lhs,
    AnyVectorOfAnyRank:$rhs,
    AnyType:$acc,
    Optional<VectorOfAnyRankOf<[I1]>>:$mask,
    Distaff_CombineKindAttr:$combine,
    ArrayAttr:$indexing_maps,
    ArrayAttr:$iterator_types
  );
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$product);
  let builders = [
    // The region is empty: the caller fills it.
    OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                   "::mlir::Value":$acc, "::mlir::Value":$mask,
                   "CombineKind":$combine, "::mlir::ArrayAttr":$maps,
                   "::mlir::ArrayAttr":$iterators)>
  ];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMaps();
    /// Returns the flags by dim of the iteration space.
    ::llvm::SmallVector<bool> getReduced();
    ::llvm::SmallVector<int64_t> getBounds();
    /// Returns the combining kind of the vector dialect, if it is one.
    std::optional<::mlir::vector::CombiningKind> getCombiningKind();
    /// Returns the product's name, if it has one.
    std::optional<::mlir::vector::CombiningKind> getProductKind();
    /// Emits the product of two scalars; the result has the accumulator's
    /// element type.
    ::mlir::Value emitProduct(::mlir::OpBuilder &builder, ::mlir::Value lhs,
                              ::mlir::Value rhs);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Distaff_YieldOp : Distaff_Op<"yield",
    [Pure, Terminator, ReturnLike, HasParent<"ContractOp">]> {
  let summary = "Ends the product of a contraction";
  let description = [{
    Yields the product, of the accumulator's element type.
  }];
  let arguments = (ins AnyType:$product);
  let assemblyFormat = "$product attr-dict `:` type($product)";
}

def Distaff_StMatrixOp : Distaff_Op<"stmatrix", [AttrSizedOperandSegments]> {
  let summary = "Stores up to four tiles of 8 rows of 16 bytes by a subgroup";
  let description = [{
    The counterpart of `nvgpu.ldmatrix`, which upstream lacks. All 32 lanes of a
    subgroup execute it together. The indices of lane 8 t + r give the start of
    row r of tile t, on a multiple of 16 bytes; those of lanes beyond 8 per tile
    are ignored. Word t of lane l becomes bytes 4 (l % 4) to 4 (l % 4) + 3 of
    row l / 4 of tile t; transposed, with words of two elements of 16 bits, the
    elements in column l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1.

    ```mlir
    distaff.stmatrix %a, %b into %memory[%row, %column] {transpose}
        : vector<2xf16>, vector<2xf16> into memref<64x64xf16, #workgroup>
    ```
  }];
  let arguments = (ins
    Variadic<FixedVectorOfRank<[1]>>:$words,
    Arg<AnyMemRef, "where the rows lie", [MemWrite]>:$memref,
    Variadic<Index>:$indices,
    UnitAttr:$transpose
  );
  let assemblyFormat = [{
    $words `into` $memref `[` $indices `]` attr-dict
    `:` type($words) `into` type($memref)
  }];
  let hasVerifier = 1;
}

def Distaff_GlobalTransposeLoadOp : Distaff_Op<"global_transpose_load"> {
  let summary = "Loads rows from global memory, transposed, by a subgroup";
  let description = [{
    The counterpart in global memory of `amdgpu.transpose_load`, which upstream
    supports for workgroup memory only. All 32 lanes of a subgroup execute it
    together. The indices of each lane give the start of eight elements of 16
    bits, on a multiple of 16 bytes, and each eight lanes exchange the elements:
    element n of lane l is the one that lane n of the eight has read as
    element l mod 8.

    ```mlir
    %column = distaff.global_transpose_load %memory[%row, %first]
        : memref<64x64xf16> -> vector<8xf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyMemRef, "where the rows lie", [MemRead]>:$memref,
    Variadic<Index>:$indices
  );
  let results = (outs FixedVectorOfRank<[1]>:$result);
  let assemblyFormat = [{
    $memref `[` $indices `]` attr-dict `:` type($memref) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Distaff_TargetOpAttr : AttrDef<Distaff_Dialect, "TargetOp"> {
  let mnemonic = "target_op";
  let summary = "An instruction of the target tables that is no MMA";
  let description = [{
    As the `mma_kind` of the `to_layout` of each vector operand of an op, it
    states that this instruction implements the op. The result then has the
    layout of the instruction's output. Here the op is a conversion:

    ```mlir
    %a = iree_vector_ext.to_layout %x to layout(#rows)
        {mma_kind = #distaff.target_op<PTX_MOVMATRIX_TRANS_F16>} : vector<8x8xf16>
    %b = iree_vector_ext.to_layout %a to layout(#columns) : vector<8x8xf16>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of a row of Target's tables">:$name
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the instruction; never null.
    const ::distaff::TargetOp *getRow() const;
  }];
}

def Distaff_TargetOpOp : Distaff_Op<"target_op", [Pure]> {
  let summary = "Issues an instruction of the target tables";
  let description = [{
    Part of one lane's program; all lanes of a subgroup execute it together. The
    first dim of operands and result is the number of issues; each issue has its
    registers in the instruction's order.

    ```mlir
    // Two tiles of 8 x 8.
    %b = distaff.target_op <PTX_MOVMATRIX_TRANS_F16> %a
        : (vector<2x2xf16>) -> vector<2x2xf16>
    ```
  }];
  let arguments = (ins
    Distaff_TargetOpAttr:$kind,
    Variadic<FixedVectorOfRank<[2]>>:$inputs
  );
  let results = (outs FixedVectorOfRank<[2]>:$result);
  let assemblyFormat = [{
    $kind $inputs attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getIssues() { return getResult().getType().getDimSize(0); }
  }];
}

def Distaff_PackedDotOp : Distaff_Op<"packed_dot",
    [Pure, AllTypesMatch<["lhs", "rhs"]>, SameOperandsAndResultShape,
     OptionalTypesMatchWith<"what it is added to is as the result",
                            "result", "acc", "$_self">]
    # ElementwiseMappable.traits> {
  let summary = "Multiplies the parts of words, and sums the products";
  let description = [{
    Elementwise on words of 32 bits. Each word consists of parts of a narrower
    type, the first part in the lowest bits; the result is the sum of the
    products of the parts at the same place, plus the accumulator of the same
    word. Sums of integers wrap; those of floats are rounded in the way and
    order of the target's instruction.

    ```mlir
    // a[0] * b[0] + a[1] * b[1], of each word.
    %d = distaff.packed_dot %a as si16, %b as si16 : vector<8xi32> to vector<8xi32>
    // c + a[0] * b[0] + a[1] * b[1].
    %e = distaff.packed_dot %a as bf16, %b as bf16 plus %c
        : vector<8xi32> to vector<8xf32>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[I32, VectorOfAnyRankOf<[I32]>]>:$lhs,
    AnyTypeOf<[I32, VectorOfAnyRankOf<[I32]>]>:$rhs,
    Optional<AnyTypeOf<[I32, F32, VectorOfAnyRankOf<[I32, F32]>]>>:$acc,
    TypeAttr:$lhs_part,
    TypeAttr:$rhs_part
  );
  let results = (outs
    AnyTypeOf<[I32, F32, VectorOfAnyRankOf<[I32, F32]>]>:$result);
  let assemblyFormat = [{
    $lhs `as` $lhs_part `,` $rhs `as` $rhs_part (`plus` $acc^)? attr-dict
    `:` type($lhs) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Distaff_CheckOp : Distaff_Op<"check",
    [NoMemoryEffect, AllTypesMatch<["value", "result"]>,
     SameOperandsAndResultShape] # ElementwiseMappable.traits> {
  let summary = "Forwards a value where a condition holds, and fails elsewhere";
  let description = [{
    Elementwise, the `cf.assert` of values: the result is the value where the
    condition is true; where it is false the program ends, with the message. The
    value must not be used where the condition is false, such as the position of
    a read. A check whose result has no uses has no effect.

    ```mlir
    %p = distaff.check %inside, %position, "index out of range"
        : vector<8xi1>, vector<8xindex>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[I1, VectorOfAnyRankOf<[I1]>]>:$condition,
    AnyType:$value,
    StrAttr:$message
  );
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $condition `,` $value `,` $message attr-dict
    `:` type($condition) `,` type($value)
  }];
}

#endif // DISTAFF_DIALECT_DISTAFF_DISTAFF_TD
