// The instruction set this translation unit is compiled for, as an inline namespace.
//
// Kernels are compiled several times into one program. An inline function compiled for
// AVX-512 must never be merged by the linker with its AVX2 twin, so everything that
// kernels inline lives in `DROVER_ISA`, whose name differs with the compiler's target.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define DROVER_ISA isa_v4
#define DROVER_ISA_LANES 8
#elif defined(__AVX2__) && defined(__FMA__)
#define DROVER_ISA isa_v3
#define DROVER_ISA_LANES 4
#else
#define DROVER_ISA isa_base
#define DROVER_ISA_LANES 2
#endif

// Sanitizer builds define it as plain inline: instrumented code inlined by force takes
// minutes to compile.
#ifndef DROVER_INLINE
#define DROVER_INLINE inline __attribute__((always_inline))
#endif
