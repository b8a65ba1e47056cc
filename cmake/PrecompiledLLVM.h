// Goes on from Precompiled.h, with the headers that take longest to read: a unit in four
// has need of them, and would read them for 22 seconds.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
