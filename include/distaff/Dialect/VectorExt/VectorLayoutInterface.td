//===- VectorLayoutInterface.td - Layout methods -----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute interface of register layouts. A layout maps a place (subgroup,
// lane, register) to the element that it holds; all methods follow from that
// map, which `getLayout()` returns. Methods never modify IR, return null if the
// result is not representable, and return the nested form if there is one. No
// method passes a type of distaff/Layout by value: including VectorExt.h does
// not give access to the layout algebra.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTORLAYOUTINTERFACE_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTORLAYOUTINTERFACE_TD

include "mlir/IR/OpBase.td"

def VectorLayoutInterface : AttrInterface<"VectorLayoutInterface"> {
  let cppNamespace = "::distaff::vector_ext";
  let description = [{
    Defines which subgroup, lane and register holds each element of a shaped
    value.
  }];

  let methods = [
    InterfaceMethod<
      "Writes the map from places to elements; `getLayout()` returns it.",
      "void", "assignLayout", (ins "::std::optional<::distaff::Layout> &":$layout)>,
    InterfaceMethod<
      "Emits an error at `loc` unless a value of this type can have this layout:"
      " equal extents for vectors, extents not above the layout's for tensors.",
      "::llvm::LogicalResult", "isValidLayout",
      (ins "::mlir::ShapedType":$type, "::mlir::Location":$loc), [{}], [{
        return ::distaff::vector_ext::layout_defaults::isValidLayout(
            $_attr, type, loc);
      }]>,
    InterfaceMethod<
      "Number of logical dimensions.",
      "int64_t", "getRank", (ins), [{}],
      [{ return ::distaff::vector_ext::layout_defaults::getRank($_attr); }]>,
    InterfaceMethod<
      "Extents of the value as the workgroup sees it.",
      "::llvm::SmallVector<int64_t>", "getUndistributedShape", (ins), [{}], [{
        return ::distaff::vector_ext::layout_defaults::getUndistributedShape(
            $_attr);
      }]>,
    InterfaceMethod<
      "Extents of the vector that one lane holds.",
      "::llvm::SmallVector<int64_t>", "getDistributedShape", (ins), [{}], [{
        return ::distaff::vector_ext::layout_defaults::getDistributedShape(
            $_attr);
      }]>,
    InterfaceMethod<
      "The layout of the value transposed by `permutation`.",
      "::distaff::vector_ext::VectorLayoutInterface", "permute",
      (ins "::llvm::ArrayRef<int64_t>":$permutation), [{}], [{
        return ::distaff::vector_ext::layout_defaults::permute(
            $_attr, permutation);
      }]>,
    InterfaceMethod<
      "The layout without the marked dimensions, whose lanes and subgroups"
      " become replicas.",
      "::distaff::vector_ext::VectorLayoutInterface", "project",
      (ins "const ::llvm::SmallBitVector &":$dropped), [{}], [{
        return ::distaff::vector_ext::layout_defaults::project($_attr, dropped);
      }]>,
    InterfaceMethod<
      "The layout of an operand that `map` indexes over this layout's"
      " dimensions; null unless each result is 0 or a dimension used once.",
      "::distaff::vector_ext::VectorLayoutInterface", "apply",
      (ins "::mlir::AffineMap":$map), [{}], [{
        return ::distaff::vector_ext::layout_defaults::apply($_attr, map);
      }]>,
    InterfaceMethod<
      "The layout with the same owner for every element in row-major order;"
      " null if there is none.",
      "::distaff::vector_ext::VectorLayoutInterface", "reshape",
      (ins "::llvm::ArrayRef<int64_t>":$shape), [{}], [{
        return ::distaff::vector_ext::layout_defaults::reshape($_attr, shape);
      }]>,
    InterfaceMethod<
      "Whether a value laid out so reaches `target` only through shared memory.",
      "bool", "needsSharedMemoryForConversion",
      (ins "::distaff::vector_ext::VectorLayoutInterface":$target), [{}], [{
        return ::distaff::vector_ext::layout_defaults::
            needsSharedMemoryForConversion($_attr, target);
      }]>,
    InterfaceMethod<
      "The elements that a lane of a subgroup holds, by register.",
      "::llvm::SmallVector<::llvm::SmallVector<int64_t>>", "getOwned",
      (ins "int64_t":$subgroup, "int64_t":$lane), [{}], [{
        return ::distaff::vector_ext::layout_defaults::getOwned(
            $_attr, subgroup, lane);
      }]>,
    InterfaceMethod<
      "Copies of each element over `workgroupSize` threads in subgroups of"
      " `subgroupSize` lanes; none where elements differ in it.",
      "::std::optional<int64_t>", "getReplication",
      (ins "int64_t":$workgroupSize, "int64_t":$subgroupSize), [{}], [{
        return ::distaff::vector_ext::layout_defaults::getReplication(
            $_attr, workgroupSize, subgroupSize);
      }]>,
    InterfaceMethod<
      "Why `workgroupSize` threads in subgroups of `subgroupSize` lanes cannot"
      " hold the layout; none if they can.",
      "::std::optional<::std::string>", "isValidForTarget",
      (ins "int64_t":$workgroupSize, "int64_t":$subgroupSize)>,
  ];

  // Callers include LayoutOf.h, which has the types.
  let extraClassDeclaration = [{
    /// Returns the map from places to elements.
    ::distaff::Layout getLayout() const;

    /// Returns the place with the smallest ids that holds the element at
    /// `index`.
    ::distaff::Place getCanonicalOwner(::llvm::ArrayRef<int64_t> index) const;

    /// Returns the layout over the dimensions of `resultMap` on which all
    /// operands' layouts agree; null on disagreement or if a dimension is in
    /// none.
    static VectorLayoutInterface
    getRecombinedLayout(::llvm::ArrayRef<VectorLayoutInterface> layouts,
                        ::llvm::ArrayRef<::mlir::AffineMap> maps,
                        ::mlir::AffineMap resultMap);
  }];
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTORLAYOUTINTERFACE_TD
