import { existsSync, readFileSync } from 'node:fs';

/**
 * Whether this processor adds products of 8-bit integers without loss. x86 processors without VNNI saturate sums of two products at 16
 * bits, so int8 weights with one scale for an output lose too much there, and the self-check uses one scale for each block. The value is
 * false if the operating system does not say.
 */
export const exactIntegerProducts =
  process.arch === 'arm64' ||
  (existsSync('/proc/cpuinfo') && /\b(avx512_vnni|avx_vnni)\b/.test(readFileSync('/proc/cpuinfo', 'utf8')));
