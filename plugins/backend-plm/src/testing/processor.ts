import { existsSync, readFileSync } from 'node:fs';

/**
 * Whether this processor adds products of 8-bit integers without loss. x86 processors without VNNI saturate sums of two
 * products at 16 bits, so that int8 weights with one scale for each output lose too much there, and the self-check takes
 * scales of blocks. False where the operating system does not say.
 */
export const exactIntegerProducts =
  process.arch === 'arm64' ||
  (existsSync('/proc/cpuinfo') && /\b(avx512_vnni|avx_vnni)\b/.test(readFileSync('/proc/cpuinfo', 'utf8')));
