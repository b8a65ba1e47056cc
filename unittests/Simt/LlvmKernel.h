//===- LlvmKernel.h - Kernels in the LLVM dialect, for tests ----*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_UNITTESTS_SIMT_LLVMKERNEL_H
#define DISTAFF_UNITTESTS_SIMT_LLVMKERNEL_H

#include "Kernel.h"

namespace distaff::simt::kernel_test {

/// One of the vendors whose dialect says how a kernel is launched.
struct Vendor {
  std::string kernelMark, sizeMark, threadId, target;
  int64_t subgroup;
};
inline const Vendor nvidia = {"nvvm.kernel", "nvvm.reqntid",
                              "nvvm.read.ptx.sreg.tid.x : i32", "sm_80", 32};
inline const Vendor amd = {"rocdl.kernel", "rocdl.reqd_work_group_size",
                           "rocdl.workitem.id.x : i32", "gfx942", 64};

inline Options optionsOf(const Vendor &vendor, int64_t threads) {
  Options options;
  options.subgroupSize = vendor.subgroup;
  options.workgroupSize = {threads, 1, 1};
  options.target = vendor.target;
  return options;
}

/// A kernel of one array that is read and one that is written, %in and %out;
/// each lane has its number as %id, of 64 bits and of 32 as %lane.
inline std::string llvmKernel(const Vendor &vendor, int64_t threads,
                              StringRef in, StringRef out, StringRef body,
                              StringRef globals = "") {
  auto argument = [](StringRef name, StringRef type, StringRef number) {
    return name.str() + ": !llvm.ptr<1> {llvm.align = 16 : i64, " +
           "iree.abi.type = " + type.str() +
           ", iree.abi.input = " + number.str() + " : index}";
  };
  return "gpu.module @m {\n" + globals.str() + "\nllvm.func @f(" +
         argument("%in", in, "0") + ", " + argument("%out", out, "1") +
         ") attributes {" + vendor.kernelMark + ", " + vendor.sizeMark +
         " = array<i32: " + std::to_string(threads) + ", 1, 1>} {\n" +
         "%lane = " + vendor.threadId + "\n" +
         "%id = llvm.zext %lane : i32 to i64\n" + body.str() +
         "\nllvm.return\n} }";
}

/// Each lane reads its number %v of `in`, computes %r, and writes it.
inline std::string perLane(const Vendor &vendor, int64_t threads, StringRef in,
                           StringRef out, StringRef body) {
  std::string count = std::to_string(threads);
  std::string all =
      "%from = llvm.getelementptr inbounds %in[%id] : (!llvm.ptr<1>, i64) -> "
      "!llvm.ptr<1>, " +
      in.str() + "\n%v = llvm.load %from : !llvm.ptr<1> -> " + in.str() + "\n" +
      body.str() +
      "\n%to = llvm.getelementptr inbounds %out[%id] : (!llvm.ptr<1>, i64) -> "
      "!llvm.ptr<1>, " +
      out.str() + "\nllvm.store %r, %to : " + out.str() + ", !llvm.ptr<1>";
  return llvmKernel(vendor, threads, "memref<" + count + "x" + in.str() + ">",
                    "memref<" + count + "x" + out.str() + ">", all);
}

/// What the lanes of one workgroup compute of their numbers.
inline Values computed(const Vendor &vendor, StringRef in, StringRef out,
                       StringRef body, const Values &numbers) {
  int64_t threads = numbers.size();
  return lastArgumentOf(perLane(vendor, threads, in, out, body),
                        {array(in.str(), {threads}, numbers),
                         array(out.str(), {threads}, Values(threads, 0))},
                        optionsOf(vendor, threads));
}

} // namespace distaff::simt::kernel_test

#endif // DISTAFF_UNITTESTS_SIMT_LLVMKERNEL_H
