"""Contiguous loops over formulas of xtensor_backends.llvm, compiled for the tests."""

from __future__ import annotations

import ctypes
from functools import cache

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from xtensor_backends.kernels.values import Value
from xtensor_backends.llvm._builder import Builder, llvm_type, load, memory_type, store

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()

INDEX = ir.IntType(64)
ENGINES = []


def emit(function, dtypes, *, has_fma=True):
    """The text of a module with the loop ``out[i] = function(x[i], ...)``, and the dtypes of the results."""
    probe = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "probe")
    builder = Builder(probe.append_basic_block(), has_fma=has_fma)
    operands = [Value(builder, ir.Constant(llvm_type(dtype), ir.Undefined), dtype) for dtype in dtypes]
    outputs = [x.dtype for x in _tuple(function(*operands))]

    module = ir.Module()
    pointers = [ir.PointerType()] * (len(dtypes) + len(outputs))
    loop = ir.Function(module, ir.FunctionType(ir.VoidType(), [INDEX, *pointers]), "loop")
    size, *arguments = loop.args
    for argument in arguments:
        argument.add_attribute("noalias")
    entry, body, end = (loop.append_basic_block(name) for name in ("entry", "body", "end"))
    Builder(entry, has_fma=has_fma).branch(body)
    Builder(end, has_fma=has_fma).ret_void()
    builder = Builder(body, has_fma=has_fma)
    index = builder.phi(INDEX)

    def element(argument, dtype):
        return builder.gep(argument, [index], inbounds=True, source_etype=memory_type(dtype))

    operands = [load(builder, element(*pair), pair[1]) for pair in zip(arguments, dtypes, strict=False)]
    for value, argument in zip(_tuple(function(*operands)), arguments[len(dtypes) :], strict=True):
        store(value, element(argument, value.dtype))
    following = builder.add(index, ir.Constant(INDEX, 1))
    index.add_incoming(ir.Constant(INDEX, 0), entry)
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, size), body, end)
    return str(module), outputs


def _tuple(results):
    return results if isinstance(results, tuple) else (results,)


@cache
def machine(triple=None, cpu=""):
    """LLVM's target machine: the host's CPU with vectors of 512 bits where it has them, or a given CPU."""
    features = ""
    if triple is None:
        triple, cpu = llvm.get_default_triple(), llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features().flatten()
        if "x86" in triple:
            features += ",-prefer-256-bit"
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=3, codemodel="default")


def optimize(text, target):
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(module, passes)
    return module


def host_has_fma():
    return not llvm.get_default_triple().startswith("x86") or bool(llvm.get_host_cpu_features().get("fma"))


@cache
def compiled(function, dtypes, *, has_fma=None):
    """A function of contiguous arrays that returns new arrays."""
    has_fma = host_has_fma() if has_fma is None else has_fma
    target = machine()
    text, outputs = emit(function, dtypes, has_fma=has_fma)
    # An engine owns its machine; the shared one must outlive it.
    engine = llvm.create_mcjit_compiler(optimize(text, target), machine.__wrapped__())
    engine.finalize_object()
    ENGINES.append(engine)
    address = engine.get_function_address("loop")
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (len(dtypes) + len(outputs)))(address)

    def run(*arrays):
        arrays = [np.ascontiguousarray(x, dtype) for x, dtype in zip(arrays, dtypes, strict=True)]
        results = [np.empty(arrays[0].shape, dtype) for dtype in outputs]
        if arrays[0].size:
            call(arrays[0].size, *[x.ctypes.data for x in (*arrays, *results)])
        return results[0] if len(results) == 1 else tuple(results)

    run.call = call
    return run
