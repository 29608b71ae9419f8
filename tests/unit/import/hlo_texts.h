// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/input_error.h"
#include "workloads/import/hlo/text/hlo_text.h"

#include <string>

namespace alxsim::hlo {

/// The message that a text is refused with.
inline std::string refusal_of(const std::string& text)
{
    try {
        read_hlo_text(text, "a.hlo");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

/// Instructions as the entry of a module.
inline std::string module_of(const std::string& instructions, const std::string& before = "")
{
    return "HloModule test, is_scheduled=true, num_partitions=8\n\n" + before + "ENTRY %main {\n" +
           instructions + "}\n";
}

inline const Instruction& instruction_named(const Module& module, const std::string& name)
{
    for (const Computation& computation : module.computations) {
        for (const Instruction& instruction : computation.instructions) {
            if (instruction.name == name) {
                return instruction;
            }
        }
    }
    throw std::logic_error("no instruction " + name);
}

/// A sum of two scalars, as reductions call it.
inline const std::string add_computation = R"(%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

)";

/// A training step in small: tables, a fusion with a product, a loop of three, a collective, an
/// attribute over lines, a donated argument.
inline const std::string small_program =
    R"(HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[8,128]{1,0:T(8,128)}, bf16[128,128]{1,0:T(8,128)(2,1)})->(f32[8,128]{1,0:T(8,128)}, bf16[8,128]{1,0:T(8,128)(2,1)})}, num_partitions=8

FileNames
1 "step.py"
2 "a \"quoted\" name.py"

FunctionNames
1 "step"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=4 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

%fused (p0: bf16[8,128], p1: bf16[128,128]) -> bf16[8,128] {
  %p0 = bf16[8,128]{1,0:T(8,128)(2,1)} parameter(0)
  %p1 = bf16[128,128]{1,0:T(8,128)(2,1)} parameter(1)
  %dot = bf16[8,128]{1,0:T(8,128)(2,1)} convolution(%p0, %p1), dim_labels=bf_io->bf, metadata={op_name="jit(step)/jvp()/dot_general" stack_frame_id=2}
  ROOT %tanh = bf16[8,128]{1,0:T(8,128)(2,1)} tanh(%dot)
}

%body (state: (s32[], bf16[8,128], bf16[128,128])) -> (s32[], bf16[8,128], bf16[128,128]) {
  %state = (s32[]{:T(128)}, bf16[8,128]{1,0:T(8,128)(2,1)}, bf16[128,128]{1,0:T(8,128)(2,1)}) parameter(0)
  %i = s32[]{:T(128)} get-tuple-element(%state), index=0
  %x = bf16[8,128]{1,0:T(8,128)(2,1)} get-tuple-element(%state), index=1
  %w = bf16[128,128]{1,0:T(8,128)(2,1)} get-tuple-element(%state), index=2
  %one = s32[]{:T(128)} constant(1)
  %next = s32[]{:T(128)} add(%i, %one)
  %y = bf16[8,128]{1,0:T(8,128)(2,1)} fusion(%x, %w), kind=kOutput, calls=%fused, backend_config={"aliasing_operands":{"lists":[]}}
  %permute = bf16[8,128]{1,0:T(8,128)(2,1)} collective-permute(%y), channel_id=1, source_target_pairs={{0,1},{1,0}}
  ROOT %new_state = (s32[]{:T(128)}, bf16[8,128]{1,0:T(8,128)(2,1)}, bf16[128,128]{1,0:T(8,128)(2,1)}) tuple(%next, %permute, %w)
}

%condition (state.1: (s32[], bf16[8,128], bf16[128,128])) -> pred[] {
  %state.1 = (s32[]{:T(128)}, bf16[8,128]{1,0:T(8,128)(2,1)}, bf16[128,128]{1,0:T(8,128)(2,1)}) parameter(0)
  %counter = s32[]{:T(128)} get-tuple-element(%state.1), index=0
  %limit = s32[]{:T(128)} constant(3)
  ROOT %goes_on = pred[]{:T(512)} compare(%counter, %limit), direction=LT
}

ENTRY %main (param: f32[8,128], param.1: bf16[128,128]) -> (f32[8,128], bf16[8,128]) {
  %param = f32[8,128]{1,0:T(8,128)} parameter(0), sharding={devices=[8,1]<=[8]}, metadata={op_name="x"}
  %param.1 = bf16[128,128]{1,0:T(8,128)(2,1)} parameter(1)
  %zero = s32[]{:T(128)} constant(0)
  %start = s32[]{:T(128)} copy(%zero)
  %cast = bf16[8,128]{1,0:T(8,128)(2,1)} convert(%param)
  %init = (s32[]{:T(128)}, bf16[8,128]{1,0:T(8,128)(2,1)}, /*index=2*/bf16[128,128]{1,0:T(8,128)(2,1)}) tuple(%start, %cast, /*index=2*/%param.1)
  %loop = (s32[]{:T(128)}, bf16[8,128]{1,0:T(8,128)(2,1)}, bf16[128,128]{1,0:T(8,128)(2,1)}) while(%init), condition=%condition, body=%body
  %result = bf16[8,128]{1,0:T(8,128)(2,1)} get-tuple-element(%loop), index=1
  %mark = bf16[8,128]{1,0:T(8,128)(2,1)} custom-call(%result), custom_call_target="Sharding", frontend_attributes={kernel_metadata={
  "mesh_axes":"[\"x\"]"
}}
  %gather = bf16[64,128]{1,0:T(8,128)(2,1)} all-gather(%mark), channel_id=1, replica_groups=mesh['a'=4,'b'=2], device_ids=([2,4]T(1,0)) {'a','b'}, dimensions={0}, use_global_device_ids=true
  %wide = f32[8,128]{1,0:T(8,128)} convert(%result)
  ROOT %out = (f32[8,128]{1,0:T(8,128)}, bf16[8,128]{1,0:T(8,128)(2,1)}) tuple(%wide, %result)
}
)";

} // namespace alxsim::hlo
