//===- PCFCollective.td - Ops of groups --------------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFCOLLECTIVE_TD
#define DISTAFF_DIALECT_PCF_PCFCOLLECTIVE_TD

def PCF_AnyHandle : Type<CPred<
    "::llvm::isa<::distaff::pcf::ThreadgroupType, ::distaff::pcf::ClusterType>($_self)">,
    "threadgroup or cluster">;

def PCF_SharedExecutorOp
    : PCF_RefOwnerOp<"shared_executor", [PCF_NamespaceOpInterface]> {
  let summary = "Runs a region once on all workers of a scope together";
  let description = [{
    Same as `pcf.generic`, but its body is collective: every op in it happens
    once for the group, and its mapping to workers is still open. Instead of ids
    the body has a handle of the group.

    Example:
    ```mlir
    pcf.shared_executor scope(#iree_gpu.subgroup_scope)
      execute[%all: !pcf.threadgroup<#iree_gpu.subgroup_scope>] {
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
    DefaultValuedProp<I64Prop, "0">:$num_leading_args
  );
  let regions = (region AnyRegion:$initializer, AnyRegion:$execute);
  let skipDefaultBuilders = 1;
  let builders = [
    // Same as for pcf.generic.
    OpBuilder<(ins "::distaff::pcf::RefOwnerParts":$parts,
      CArg<"::mlir::TypeRange", "{}">:$leadingTypes)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Region *getInitializerRegion() { return &getInitializer(); }
    ::mlir::Region &getSymbolRegion() { return getExecute(); }
    ::mlir::Block *getBody() { return &getExecute().front(); }
    ::mlir::BlockArgument getThreadgroup() { return getTrailingArgs().front(); }
  }];
}

def PCF_TileGroupOp : PCF_Op<"shared_executor.tile_group", [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<PCF_NamespaceOpInterface,
      ["getNamespaceName", "getSymbolRegion", "getDefinedSymbols"]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
      ["getAsmBlockArgumentNames"]>]> {
  let summary = "Splits a group into named clusters";
  let description = [{
    Splits each dimension of the group, fastest first, at the points listed: n
    points make n+1 ranges between its ends. Points are worker indices, uniform
    over the group, and do not decrease; empty clusters are allowed. A point is
    an operand, the next of the clusters' range values, or an affine expression
    of the range values before it and of the number of workers, which becomes a
    bound of the clusters: `split [[%k, d0 + 1, s0 floordiv 2]]`. The block
    arguments are the clusters, row-major with dimension 0 *slowest*. The region
    is a program of the whole group; only `run_cluster` and `run_thread`
    restrict it to a cluster.

    Example: subgroups 0 to k-1, and the rest:
    ```mlir
    pcf.shared_executor.tile_group %all ns(ws) split [[%k]]
      (%a: !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), ws.a>,
       %b: !pcf.cluster<#iree_gpu.subgroup_scope, (d0 -> s0), ws.b>) {
      pcf.return
    } : !pcf.threadgroup<#iree_gpu.subgroup_scope>
    ```
  }];
  let arguments = (ins
    AnyType:$source,
    Variadic<Index>:$ranges,
    Variadic<Index>:$points,
    OptionalAttr<StrAttr>:$ns,
    DenseI64ArrayAttr:$split_sizes,
    // Map from the range values and the counts to all points; absent if each
    // point is an operand.
    OptionalAttr<AffineMapAttr>:$point_map
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [
    // The body is one empty block whose arguments are the clusters, named by
    // `leaves`, row-major with dimension 0 slowest.
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::ValueRange":$ranges,
      "::llvm::ArrayRef<::llvm::SmallVector<::mlir::Value>>":$split,
      "::llvm::StringRef":$ns, "::llvm::ArrayRef<::llvm::StringRef>":$leaves)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Attribute getScope();

    /// Returns the points of all dimensions, and of dimension `dim` of the
    /// grid, as expressions of the clusters' range values and the numbers of
    /// workers.
    ::llvm::SmallVector<::mlir::AffineExpr> getAllPoints();
    ::llvm::SmallVector<::mlir::AffineExpr> getPointsOf(unsigned dim);

    /// Returns the range values of the clusters: the source's, then the points.
    ::llvm::SmallVector<::mlir::Value> getAllRangeValues();

    ::mlir::Block::BlockArgListType getClusters() {
      return getBody().getArguments();
    }
  }];
}

// Ops that run on the members of one group.
class PCF_RunOp<string mnemonic> : PCF_Op<mnemonic, [
    AttrSizedOperandSegments, RecursiveMemoryEffects,
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface,
      ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<AnyType>:$sources, Variadic<Index>:$ranges);
  let results = (outs Optional<AnyType>:$result);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // The body is one empty block with its arguments. `result` is a handle
    // type, or null.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::ValueRange":$sources,
                   "::mlir::ValueRange":$ranges)>
  ];
  code runDeclarations = [{
    /// Returns the group that the op runs on.
    ::mlir::Type getGroupType() { return getSources().front().getType(); }
    ::mlir::Attribute getScope();
    ClusterYieldOp getYield();

    /// Returns the body arguments that represent the payloads of the sources.
    ::mlir::Block::BlockArgListType getPayloadArgs();

    /// Returns the fields of a handle that the op uses, and those that bypass
    /// it.
    static ::llvm::ArrayRef<::mlir::Type> getOwnPayload(::mlir::Type handle);
    static ::llvm::ArrayRef<::mlir::Type> getOtherPayload(::mlir::Type handle);
    /// Returns the number of the first field of that kind.
    static unsigned getFirstOwn(::mlir::Type handle);
    static unsigned getFirstOther(::mlir::Type handle);
  }];
}

def PCF_RunClusterOp : PCF_RunOp<"shared_executor.run_cluster"> {
  let summary = "A phase that a group runs as one";
  let description = [{
    Consumes and yields shared payload. Several sources are several payloads of
    one group, or of clusters of several groups whose bounds are provably the
    same, by equal range values and constants; the body's arguments are all of
    them. The result is a handle of the group of the first source that carries
    the values that `cluster_yield` yields. Private payload of the sources
    bypasses the phase: the result carries all of it, in order, or none. No
    barrier is implied, before or after.

    Example:
    ```mlir
    %next = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<64xf32>) {
      pcf.cluster_yield %x : tensor<64xf32>
    } : (!group) -> !group
    ```
  }];
  let extraClassDeclaration = runDeclarations;
}

def PCF_RunThreadOp : PCF_RunOp<"shared_executor.run_thread"> {
  let summary = "A phase that every member of a group runs by itself";
  let description = [{
    Same as `run_cluster`, for private payload; shared payload bypasses it. The
    body also has ids, one per dimension of the grid, fastest first, counted
    from the group's lower bounds.

    Example:
    ```mlir
    pcf.shared_executor.run_thread(%left)[%k] () [%id: index] {
      pcf.cluster_yield
    } : (!left)
    ```
  }];
  let extraClassDeclaration = runDeclarations # [{
    ::mlir::Block::BlockArgListType getIds();
  }];
}

def PCF_ClusterYieldOp : PCF_Op<"cluster_yield", [
    Pure, Terminator, ParentOneOf<["RunClusterOp", "RunThreadOp"]>]> {
  let summary = "Ends a phase with the values of its payload";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = AttributeDictionary<>.format
    # "($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), "(void)$_state;">];
}

#endif // DISTAFF_DIALECT_PCF_PCFCOLLECTIVE_TD
