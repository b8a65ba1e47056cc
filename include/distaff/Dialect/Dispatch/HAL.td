//===- HAL.td - Executables and their interface ------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of the hal dialect in IREE's dumps of a dispatch: the executable
// with its variants and exports, and the ops by which a function reads its
// launch: bindings, constants, the ids of workgroups. The import replaces them
// by a kernel's arguments at once (Import/Dispatch); no later stage has them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_DISPATCH_HAL_TD
#define DISTAFF_DIALECT_DISPATCH_HAL_TD

include "distaff/Dialect/Dispatch/ForeignDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HAL_Dialect : ForeignDialect<"hal"> {
  let cppNamespace = "::distaff::dispatch";
  let summary = "Executables of IREE, and the launches of their functions";
  let description = [{
    Distaff reads the part that IREE's dumps of a dispatch have, and creates a
    kernel's arguments and grid from it (docs/ABI.md). Attributes and types that
    are not listed here are kept as text; an op that is not is an error.
  }];
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

class HAL_Attr<string name, string mnemonicText>
    : AttrDef<HAL_Dialect, name> {
  let mnemonic = mnemonicText;
}

def HAL_DescriptorTypeAttr : HAL_Attr<"DescriptorType", "descriptor_type"> {
  let summary = "The memory space of a binding's memref";
  let description = [{ Example: `#hal.descriptor_type<storage_buffer>` }];
  let parameters = (ins StringRefParameter<"kind of the buffer">:$kind);
  let hasCustomAssemblyFormat = 1;
}

def HAL_PipelineBindingAttr : HAL_Attr<"PipelineBinding", "pipeline.binding"> {
  let summary = "A buffer that a launch passes";
  let description = [{
    Example: `#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">`
  }];
  let parameters = (ins StringRefParameter<"kind of the buffer">:$kind,
                        OptionalParameter<"::mlir::StringAttr", "what may be done with it">:$flags);
  let hasCustomAssemblyFormat = 1;
}

def HAL_PipelineLayoutAttr : HAL_Attr<"PipelineLayout", "pipeline.layout"> {
  let summary = "Parameters of a launch: constants of 32 bits, and buffers";
  let description = [{
    Example:
    ```mlir
    #hal.pipeline.layout<constants = 1, bindings = [
      #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">,
      #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
    ```
  }];
  let parameters = (ins "int64_t":$constants,
                        OptionalArrayRefParameter<"PipelineBindingAttr">:$bindings,
                        OptionalParameter<"::mlir::StringAttr">:$flags);
  let hasCustomAssemblyFormat = 1;
}

def HAL_ExecutableTargetAttr : HAL_Attr<"ExecutableTarget", "executable.target"> {
  let summary = "The target of a variant";
  let description = [{
    Example: `#hal.executable.target<"cuda", "cuda-nvptx-fb", {key = 1 : i64}>`
  }];
  let parameters = (ins StringRefParameter<"backend">:$backend,
                        StringRefParameter<"format of the code">:$format,
                        OptionalParameter<"::mlir::DictionaryAttr">:$configuration);
  let assemblyFormat = "`<` $backend `,` $format (`,` $configuration^)? `>`";
}

def HAL_DeviceType : TypeDef<HAL_Dialect, "Device"> {
  let mnemonic = "device";
  let summary = "The device of a launch";
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

class HAL_Op<string mnemonic, list<Trait> traits = []>
    : Op<HAL_Dialect, mnemonic, traits>;

// A region of ops in any order, without a terminator.
class HAL_Container<string mnemonic> : HAL_Op<mnemonic, [
    NoRegionArguments, NoTerminator, SingleBlock, SymbolTable, Symbol]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def HAL_ExecutableOp : HAL_Container<"executable"> {
  let summary = "One program, compiled for several devices";
  let description = [{ Example: `hal.executable private @add_dispatch_0 {...}` }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility);
}

def HAL_ExecutableVariantOp : HAL_Container<"executable.variant"> {
  let summary = "A program, compiled for one device";
  let description = [{
    Example: `hal.executable.variant public @cuda target(<"cuda", "ptx">) {...}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       HAL_ExecutableTargetAttr:$target);
}

def HAL_ExecutableExportOp : HAL_Op<"executable.export",
    [IsolatedFromAbove, Symbol]> {
  let summary = "A function that is launched";
  let description = [{
    Its region computes the numbers of workgroups along x, y and z from the
    device and the workload, which the function reads by
    `iree_tensor_ext.dispatch.workload.ordinal`.

    Example:
    ```mlir
    hal.executable.export public @add ordinal(0) layout(#layout)
        count(%device: !hal.device, %n: index) -> (index, index, index) {
      %x = affine.apply affine_map<()[s0] -> (s0 ceildiv 64)>()[%n]
      %c1 = arith.constant 1 : index
      hal.return %x, %c1, %c1 : index, index, index
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<IndexAttr>:$ordinal,
                       HAL_PipelineLayoutAttr:$layout,
                       OptionalAttr<ArrayAttr>:$workgroup_size,
                       OptionalAttr<IndexAttr>:$subgroup_size,
                       OptionalAttr<IndexAttr>:$workgroup_local_memory);
  let regions = (region AnyRegion:$workgroup_count);
  let hasCustomAssemblyFormat = 1;
}

def HAL_ReturnOp : HAL_Op<"return", [Pure, Terminator, ReturnLike]> {
  let summary = "Ends a region of an export";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

//===----------------------------------------------------------------------===//
// Parameters of a launch
//===----------------------------------------------------------------------===//

def HAL_InterfaceBindingSubspanOp : HAL_Op<"interface.binding.subspan",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "A part of a buffer that a launch passes";
  let description = [{
    The part starts at the byte `offset`; `flags` state how the function uses
    it.

    Example:
    ```mlir
    %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64)
      offset(%c0) flags("ReadOnly|Indirect") : memref<?x48xf32>{%n}
    ```
  }];
  let arguments = (ins HAL_PipelineLayoutAttr:$layout, IndexAttr:$binding,
                       Optional<Index>:$byte_offset,
                       Variadic<Index>:$dynamic_dims,
                       OptionalAttr<IndexAttr>:$alignment,
                       OptionalAttr<StrAttr>:$flags);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `layout` `(` $layout `)` `binding` `(` $binding `)`
    (`alignment` `(` $alignment^ `)`)? (`offset` `(` $byte_offset^ `)`)?
    (`flags` `(` custom<BindingFlags>($flags)^ `)`)? attr-dict `:`
    type($result) (`{` $dynamic_dims^ `}`)?
  }];
  let extraClassDeclaration = [{
    /// Returns whether no op writes through it.
    bool isReadOnly();
  }];
  let hasVerifier = 1;
}

def HAL_InterfaceConstantLoadOp : HAL_Op<"interface.constant.load", [Pure]> {
  let summary = "A constant of 32 bits that a launch passes";
  let description = [{
    Example: `%n = hal.interface.constant.load layout(#layout) ordinal(0) : i32`
  }];
  let arguments = (ins HAL_PipelineLayoutAttr:$layout, IndexAttr:$ordinal,
                       OptionalAttr<IndexAttr>:$alignment,
                       OptionalAttr<ArrayAttr>:$values);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `layout` `(` $layout `)` `ordinal` `(` $ordinal `)`
    (`alignment` `(` $alignment^ `)`)? (`values` `(` $values^ `)`)? attr-dict `:`
    type($result)
  }];
  let hasVerifier = 1;
}

class HAL_WorkgroupOp<string property> : HAL_Op<"interface.workgroup." # property,
    [Pure]> {
  let arguments = (ins IndexAttr:$dimension, OptionalAttr<IndexAttr>:$upper_bound);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    `[` $dimension `]` (`upper_bound` $upper_bound^)? attr-dict `:` type($result)
  }];
}

def HAL_InterfaceWorkgroupIDOp : HAL_WorkgroupOp<"id"> {
  let summary = "The number of a workgroup along x, y or z";
}

def HAL_InterfaceWorkgroupCountOp : HAL_WorkgroupOp<"count"> {
  let summary = "The workgroups of the launch along x, y or z";
}

def HAL_InterfaceWorkgroupSizeOp : HAL_WorkgroupOp<"size"> {
  let summary = "The threads of a workgroup along x, y or z";
}

#endif // DISTAFF_DIALECT_DISPATCH_HAL_TD
