// Sums that are halves, two in a register: on the PTX machine, which has the pairs that loops carry, as the reference has them,
// with edges at which each half is stored by itself, and with none.
//
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --check --device ptx --shape arg0=2x33x65 --shape arg1=2x65x41 --shape arg2=2x33x41 --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --device ptx --shape arg0=1x130x48 --shape arg1=1x48x259 --shape arg2=1x130x259 --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize ping-pong --check --device ptx --shape arg0=1x257x40 --shape arg1=1x40x64 --shape arg2=1x257x64 --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize ping-pong --check --device ptx --shape arg0=1x17x0 --shape arg1=1x0x9 --shape arg2=1x17x9 --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2

func.func @halves(%lhs: tensor<?x?x?xf16>, %rhs: tensor<?x?x?xf16>, %out: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %z = arith.constant 0.0 : f16
  %f = linalg.fill ins(%z : f16) outs(%out : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
  %r = linalg.batch_matmul ins(%lhs, %rhs : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%f : tensor<?x?x?xf16>) -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}
