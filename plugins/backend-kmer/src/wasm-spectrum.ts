import { readFileSync } from 'node:fs';
import { reserveMemory, type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { type FeaturePlan, gapsOf, type PairTable, weightsOf } from './features.js';
import { standardLetters, type SubstitutionComponents, unknownLetter } from './substitution.js';

/** The number of values that the kernel may write past the end of a wave. */
const wavePadding = 8;

interface SpectrumModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  embed(run: number): void;
}

let compiled: WasmModule | undefined;

function instantiate(): SpectrumModule {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../wasm/spectrum.wasm', import.meta.url)));
  return new webAssembly.Instance(compiled).exports as unknown as SpectrumModule;
}

/**
 * Computes the vectors of `Spectrum` in WebAssembly, the same to the last bit. Its memory grows with the longest sequence, by 17 bytes
 * for a residue.
 */
export class WasmSpectrum {
  readonly #module = instantiate();
  readonly #dimension: number;
  readonly #runAt: number;
  readonly #outAt: number;
  readonly #sequenceAt: number;

  constructor({ values }: SubstitutionComponents, plan: FeaturePlan) {
    this.#dimension = plan.dimension;
    const gaps = gapsOf(plan);
    const parts = [
      new Uint32Array(runFields),
      values,
      Uint32Array.from(plan.singles.flatMap(({ component, wave, index }) => [component, wave, index])),
      Uint32Array.from(gaps.flatMap(({ gap, plain, waved }) => gapWords(gap, runsOf(plain), runsOf(waved)))),
      weightsOf(plan),
      new Float64Array(plan.dimension),
    ];
    let end = aligned(this.#module.__heap_base.value);
    const places = parts.map(({ byteLength }) => {
      const at = end;
      end = aligned(end + byteLength);
      return at;
    });
    this.#sequenceAt = end;
    this.#reserve(end);
    const memory = new Uint8Array(this.#module.memory.buffer);
    parts.forEach((part, i) =>
      memory.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), places[i]),
    );
    const [runAt, valuesAt, singlesAt, gapsAt, weightsAt, outAt] = places;
    this.#runAt = runAt;
    this.#outAt = outAt;
    const constant = [
      valuesAt,
      singlesAt,
      plan.singles.length,
      gapsAt,
      gaps.length,
      weightsAt,
      outAt,
      plan.dimension,
    ];
    this.#run().set(constant, fieldsOfSequence);
  }

  /** Embeds as `Spectrum.embed` does. @returns the kernel's own memory, valid until the next call */
  embed(codes: Uint8Array, window: number): Float64Array {
    let known = 0;
    let used = standardLetters;
    for (const code of codes) {
      if (code === unknownLetter) continue;
      known++;
      if (code >= standardLetters) used = unknownLetter;
    }
    const { memory } = this.#module;
    const waveAt = aligned(this.#sequenceAt + codes.length);
    this.#reserve(waveAt + (2 * codes.length + 1 + wavePadding) * Float64Array.BYTES_PER_ELEMENT);
    const out = new Float64Array(memory.buffer, this.#outAt, this.#dimension);
    if (known === 0) return out.fill(0);
    new Uint8Array(memory.buffer, this.#sequenceAt, codes.length).set(codes);
    this.#run().set([this.#sequenceAt, codes.length, Math.min(window, codes.length), known, used, waveAt]);
    this.#module.embed(this.#runAt);
    return out;
  }

  #run(): Uint32Array {
    return new Uint32Array(this.#module.memory.buffer, this.#runAt, runFields);
  }

  #reserve(bytes: number): void {
    reserveMemory(
      this.#module.memory,
      bytes,
      (megabytes) =>
        `the spectrum of a sequence this long needs ${megabytes} MB, but this memory is not available`,
    );
  }
}

/** The number of parameters of `run_t` in spectrum.c; those of a sequence come first. */
const runFields = 14;
const fieldsOfSequence = 6;

/** Rounds up to a multiple of 16 bytes, because the kernel reads two float64 at a time. */
const aligned = (bytes: number): number => (bytes + 15) & ~15;

/** Arranges the features by first component: [first, count, then second and index of each], by second component. */
function runsOf(table: PairTable | undefined): number[][] {
  const byFirst = new Map<number, [second: number, index: number][]>();
  for (const { first, second, index } of table?.features ?? [])
    byFirst.set(first, [...(byFirst.get(first) ?? []), [second, index]]);
  return [...byFirst].map(([first, features]) => [
    first,
    features.length,
    ...features.sort(([a], [b]) => a - b).flat(),
  ]);
}

const gapWords = (gap: number, plain: number[][], waved: number[][]): number[] => [
  gap,
  plain.length,
  waved.length,
  ...plain.flat(),
  ...waved.flat(),
];
