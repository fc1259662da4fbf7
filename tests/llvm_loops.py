"""Contiguous loops over formulas of xtensor_llvm, compiled for the tests."""

from __future__ import annotations

import ctypes
from functools import cache

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from xtensor_llvm._values import Builder, Value, llvm_type, load, memory_type, store

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


def emit(function, dtypes, *, has_fma=True):
    """The module of a loop ``out[i] = function(x[i], ...)``, and the dtypes of the results."""
    module = ir.Module()
    size, pointer = ir.IntType(64), ir.PointerType()
    probe = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "probe")
    builder = Builder(probe.append_basic_block(), has_fma=has_fma)
    results = _tuple(function(*[Value(builder, ir.Constant(llvm_type(d), ir.Undefined), d) for d in dtypes]))
    outputs = [x.dtype for x in results]
    loop = ir.Function(
        module, ir.FunctionType(ir.VoidType(), [size] + [pointer] * (len(dtypes) + len(outputs))), "loop"
    )
    for argument in loop.args[1:]:
        argument.add_attribute("noalias")
    entry, body, end = (loop.append_basic_block(name) for name in ("entry", "body", "end"))
    Builder(entry, has_fma=has_fma).branch(body)
    builder = Builder(body, has_fma=has_fma)
    index = builder.phi(size)
    index.add_incoming(ir.Constant(size, 0), entry)

    def element(argument, dtype):
        return builder.gep(argument, [index], inbounds=True, source_etype=memory_type(dtype))

    arguments = loop.args[1:]
    values = [load(builder, element(a, d), d) for a, d in zip(arguments, dtypes)]
    for value, argument in zip(_tuple(function(*values)), arguments[len(dtypes) :]):
        store(value, element(argument, value.dtype))
    following = builder.add(index, ir.Constant(size, 1))
    index.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, loop.args[0]), body, end)
    Builder(end, has_fma=has_fma).ret_void()
    return str(module), outputs


def _tuple(results):
    return results if isinstance(results, tuple) else (results,)


def machine(triple=None, cpu=None, features=None):
    """LLVM's target machine: the host's CPU with vectors of 512 bits where it has them, or a given one."""
    if triple is None:
        triple, cpu = llvm.get_default_triple(), llvm.get_host_cpu_name()
        features = llvm.get_host_cpu_features().flatten() + ",-prefer-256-bit"
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=3, codemodel="default")


def optimize(text, target):
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    llvm.create_pass_builder(target, options).getModulePassManager().run(
        module, llvm.create_pass_builder(target, options)
    )
    return module


def assembly(function, dtypes, target=None, *, has_fma=True):
    target = target or machine()
    return target.emit_assembly(optimize(emit(function, dtypes, has_fma=has_fma)[0], target))


ENGINES = []


@cache
def compiled(function, dtypes, *, has_fma=True):
    """A function of contiguous arrays that returns new arrays."""
    target = machine()
    text, outputs = emit(function, dtypes, has_fma=has_fma)
    engine = llvm.create_mcjit_compiler(optimize(text, target), target)
    engine.finalize_object()
    ENGINES.append(engine)
    address = engine.get_function_address("loop")
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (len(dtypes) + len(outputs)))(address)

    def run(*arrays, out=None):
        arrays = [np.ascontiguousarray(x, d) for x, d in zip(arrays, dtypes, strict=True)]
        outs = [np.empty(arrays[0].shape, d) for d in outputs] if out is None else [out]
        call(arrays[0].size, *[x.ctypes.data for x in (*arrays, *outs)])
        return outs[0] if len(outs) == 1 else tuple(outs)

    run.call = call
    return run
