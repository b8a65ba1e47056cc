//===- SRefLayouts.h - Dataflow analysis of sref layouts --------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An sref has neither layout nor memory space; the origin of its memory has
// both. The types propagate from there along views and control flow, and where
// several join, a component (offset, or one stride) stays static if all agree
// on it:
//
//   memref<4x8xf32> and memref<4x8xf32, strided<[16, 1]>>
//     meet in memref<4x8xf32, strided<[?, 1]>>
//
// An operand that flows into a less static type needs a `memref.cast`; `edges`
// lists the operands for which that is possible.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_LIB_CONVERSION_SREFLAYOUTS_H
#define DISTAFF_LIB_CONVERSION_SREFLAYOUTS_H

#include "distaff/Dialect/PCF/PCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace distaff {

class SRefLayouts {
public:
  /// An operand that flows, among others, into node `to`.
  struct Edge {
    OpOperand *from;
    unsigned to;
  };

  /// Returns the layouts of all srefs of a module; failure after an error.
  static FailureOr<SRefLayouts> compute(ModuleOp module);

  /// Returns the memref type that an sref becomes.
  MemRefType getType(Value ref) const {
    assert(ids.contains(ref) && "an sref is one of the module");
    return nodes[ids.lookup(ref)].type;
  }
  MemRefType getType(const Edge &edge) const { return nodes[edge.to].type; }
  /// Returns the memref type that result `i` of a function becomes.
  MemRefType getResultType(func::FuncOp function, unsigned i) const {
    assert(resultIds.contains({function, i}) &&
           "a function of the module returns that sref");
    return nodes[resultIds.lookup({function, i})].type;
  }

  ArrayRef<Edge> getEdges() const { return edges; }

private:
  /// A node is a value, or a result of a function, for which the value is null.
  struct Node {
    Location loc;
    Value value;
    MemRefType type;
    SmallVector<unsigned> targets;
  };

  LogicalResult addNodes(ModuleOp module);
  LogicalResult addNode(Value value);
  unsigned addResultNode(func::FuncOp function, unsigned result);
  LogicalResult seed(ModuleOp module);
  LogicalResult seedOwner(pcf::RefOwnerOpInterface op);
  LogicalResult addEdges(Operation *op);
  void addEdge(OpOperand &from, Value to);
  void addEdge(OpOperand &from, unsigned to);
  void addCall(func::CallOp call);
  LogicalResult propagate();
  LogicalResult propagateToView(Operation *view, MemRefType source);
  LogicalResult meet(unsigned node, MemRefType type);
  LogicalResult checkKnown(func::FuncOp function) const;
  LogicalResult checkAllKnown(ModuleOp module) const;

  SmallVector<Node> nodes;
  SmallVector<unsigned> worklist;
  DenseMap<Value, unsigned> ids;
  DenseMap<std::pair<Operation *, unsigned>, unsigned> resultIds;
  SmallVector<Edge> edges;
};

/// Returns the memref type of a slice of `source`, before unit dimensions are
/// dropped. An offset past the end, which a slice of size 0 may have, counts as
/// dynamic: upstream rejects such a constant.
MemRefType getSliceType(OffsetSizeAndStrideOpInterface slice,
                        MemRefType source);

/// Returns the offsets of a slice that getSliceType reads.
SmallVector<int64_t> getStaticOffsets(OffsetSizeAndStrideOpInterface slice,
                                      ArrayRef<int64_t> extents);

} // namespace distaff

#endif // DISTAFF_LIB_CONVERSION_SREFLAYOUTS_H
