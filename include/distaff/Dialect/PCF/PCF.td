//===- PCF.td - Ops of the pcf dialect ---------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has the ops that own refs; PCFMemory.td has those that read and
// write refs, PCFCollective.td those of groups.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCF_TD
#define DISTAFF_DIALECT_PCF_PCF_TD

include "distaff/Dialect/PCF/PCFAttrs.td"
include "distaff/Dialect/PCF/PCFTypes.td"
include "distaff/Dialect/PCF/FenceKind.td"
include "distaff/Dialect/PCF/PCFOpInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/Properties.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class PCF_Op<string mnemonic, list<Trait> traits = []>
    : Op<PCF_Dialect, mnemonic, traits>;

def PCF_Storage : AnyTypeOf<[AnyRankedTensor, AnyMemRef],
                            "ranked tensor or memref">;

// The operands of the ops that own refs, and those methods of their interfaces
// that depend on the operands.
class PCF_RefOwnerOp<string mnemonic, list<Trait> traits = []>
    : PCF_Op<mnemonic, [
        AttrSizedOperandSegments, AutomaticAllocationScope,
        RecursiveMemoryEffects,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<PCF_RefOwnerOpInterface>,
        DeclareOpInterfaceMethods<RegionBranchOpInterface,
          ["getRegionInvocationBounds"]>,
        DeclareOpInterfaceMethods<OpAsmOpInterface,
          ["getAsmBlockArgumentNames"]>] # traits> {
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      getRefOwnerEffects(*this, effects);
    }
    void $cppClass::getSuccessorRegions(
        ::mlir::RegionBranchPoint point,
        ::llvm::SmallVectorImpl<::mlir::RegionSuccessor> &successors) {
      getRefOwnerSuccessors(*this, point, successors);
    }
    void $cppClass::getRegionInvocationBounds(
        ::llvm::ArrayRef<::mlir::Attribute>,
        ::llvm::SmallVectorImpl<::mlir::InvocationBounds> &bounds) {
      getRefOwnerInvocations(*this, bounds);
    }
  }];
  let hasRegionVerifier = 1;
}

def PCF_GenericOp : PCF_RefOwnerOp<"generic", [PCF_NamespaceOpInterface]> {
  let summary = "Runs a region once on every worker of a scope";
  let description = [{
    The initializer runs before any worker; then every worker runs `execute`
    once, with its own ids. Result j is a snapshot of the j-th ref that is not
    readonly after all workers have returned. `execute` may be a graph of blocks
    that end in `pcf.return`, `pcf.br.cond_return`, `cf.br` or `cf.cond_br`. The
    region is not isolated; srefs of any scope may be captured. Readonly is a
    promise of the body: no write goes through that ref, and no other op writes
    that memory while the op runs. With `sync true` all workers synchronize
    before the op returns.

    Ids and counts are ordered fastest varying first; there may be any number
    of them (see `ScopeAttrInterface`).

    Example:
    ```mlir
    %r = pcf.generic scope(#pcf.sequential)
      execute(%x <- %in : tensor<8xf32>, %y = %init)[%id: index, %n: index]
      : (!pcf.sref<8xf32, #pcf.sequential>, !pcf.sref<8xf32, sync(#pcf.sequential)>)
      -> (tensor<8xf32>) {
      %v = pcf.read_slice %x[0] [8] [1] : !pcf.sref<8xf32, #pcf.sequential> to vector<8xf32>
      pcf.write_slice %v into %y[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, sync(#pcf.sequential)>
      pcf.return
    }
    ```
  }];
  let arguments = (ins
    AnyAttr:$scope,
    Variadic<AnyType>:$inits,
    Variadic<AnyType>:$readonly_sources,
    Variadic<Index>:$dynamic_sizes,
    DenseBoolArrayAttr:$is_tied,
    DenseBoolArrayAttr:$is_readonly,
    DefaultValuedProp<BoolProp, "false">:$sync_on_return,
    DefaultValuedProp<I64Prop, "0">:$num_leading_args,
    DefaultValuedProp<I64Prop, "0">:$num_index_args
  );
  let regions = (region AnyRegion:$initializer, AnyRegion:$execute);
  let skipDefaultBuilders = 1;
  let builders = [
    // The regions hold one empty block each if they are created; the entry
    // block of `execute` has the refs, `numIds` ids and `numIds` counts.
    OpBuilder<(ins "::distaff::pcf::RefOwnerParts":$parts, "int64_t":$numIds,
      CArg<"::mlir::TypeRange", "{}">:$leadingTypes)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Region *getInitializerRegion() { return &getInitializer(); }
    ::mlir::Region &getSymbolRegion() { return getExecute(); }
    int64_t getNumIds() { return getNumIndexArgs() / 2; }
    ::mlir::Block::BlockArgListType getIds() {
      return getTrailingArgs().take_front(getNumIds());
    }
    ::mlir::Block::BlockArgListType getCounts() {
      return getTrailingArgs().drop_front(getNumIds());
    }
  }];
}

def PCF_LoopOp : PCF_RefOwnerOp<"loop"> {
  let summary = "Runs every iteration of a box on some worker of a scope";
  let description = [{
    Same as `pcf.generic`, without an initializer, with one iteration id per
    count, fastest first. Every iteration runs exactly once, on a worker that
    the scope selects. Iterations are independent except for accesses to srefs.

    Example:
    ```mlir
    pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
      pcf.return
    }
    ```
  }];
  let arguments = (ins
    AnyAttr:$scope,
    Variadic<Index>:$counts,
    Variadic<AnyType>:$inits,
    Variadic<AnyType>:$readonly_sources,
    Variadic<Index>:$dynamic_sizes,
    DenseBoolArrayAttr:$is_tied,
    DenseBoolArrayAttr:$is_readonly,
    DefaultValuedProp<BoolProp, "false">:$sync_on_return
  );
  let regions = (region AnyRegion:$execute);
  let skipDefaultBuilders = 1;
  let builders = [
    // The body is one empty block with the refs and an id per count.
    OpBuilder<(ins "::distaff::pcf::RefOwnerParts":$parts,
                   "::mlir::ValueRange":$counts)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Block *getBody() { return &getExecute().front(); }
    ::mlir::Block::BlockArgListType getIds() { return getTrailingArgs(); }
  }];
}

def PCF_YieldOp : PCF_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["GenericOp", "SharedExecutorOp"]>]> {
  let summary = "Ends `initialize`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = AttributeDictionary<>.format
    # "($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), "(void)$_state;">];
}

def PCF_ReturnOp : PCF_Op<"return", [
    Pure, Terminator, ReturnLike, ParentOneOf<["GenericOp", "LoopOp",
      "SharedExecutorOp", "TileGroupOp"]>]> {
  let summary = "Ends the code of a worker or a group";
  let assemblyFormat = AttributeDictionary<>.format;
}

def PCF_CondReturnOp : PCF_Op<"br.cond_return", [
    Pure, Terminator, HasParent<"GenericOp">,
    DeclareOpInterfaceMethods<BranchOpInterface,
      ["getSuccessorForOperands"]>]> {
  let summary = "Returns if the condition is true, else branches";
  let description = [{
    Example: `pcf.br.cond_return %done ^next(%x : i32)`
  }];
  let arguments = (ins I1:$condition, Variadic<AnyType>:$dest_operands);
  let successors = (successor AnySuccessor:$dest);
  let assemblyFormat = [{
    $condition $dest (`(` $dest_operands^ `:` type($dest_operands) `)`)?
  }] # AttributeDictionary<>.format;
  let hasCanonicalizeMethod = 1;
}

include "distaff/Dialect/PCF/PCFMemory.td"
include "distaff/Dialect/PCF/PCFCollective.td"
include "distaff/Dialect/PCF/PCFCopies.td"

#endif // DISTAFF_DIALECT_PCF_PCF_TD
