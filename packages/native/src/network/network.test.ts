import {
  type NetworkAnswer,
  type NetworkKernel,
  type NetworkProgram,
  SequenceNetwork,
} from '@kindred/kernels/network';
import { largestDifference, shippedNetwork } from '@kindred/testkit/shipped-network';
import { describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';
import { createWasmNetwork } from './wasm-network.js';

const { layout, bytes, terms, cases } = shippedNetwork();

type Create = (program: NetworkProgram) => NetworkKernel;
const native = nativeKernelsForTests();
const implementations: [string, Create][] = [
  ['wasm', createWasmNetwork],
  ...native.map((kernels): [string, Create] => [
    kernels.instructions,
    (program) => kernels.createNetwork(program),
  ]),
];
/** Remembers the answers of an implementation, so that each is made once. */
function remembered(create?: Create): (sequence: string) => NetworkAnswer | null {
  const network = new SequenceNetwork(layout, bytes, create);
  const answers = new Map<string, NetworkAnswer | null>();
  return (sequence) => {
    const known = answers.get(sequence) ?? network.answer(sequence);
    answers.set(sequence, known);
    return known;
  };
}
const plainAnswer = remembered();
const wasmAnswer = remembered(createWasmNetwork);

const bitsOf = (x: Float32Array): Uint8Array => new Uint8Array(x.buffer, x.byteOffset, x.byteLength);
const isSame = (left: NetworkAnswer | null, right: NetworkAnswer | null): boolean =>
  left !== null &&
  right !== null &&
  Buffer.compare(bitsOf(left.vector), bitsOf(right.vector)) === 0 &&
  Buffer.compare(bitsOf(left.probabilities), bitsOf(right.probabilities)) === 0;

// Among these are odd and even lengths around the rows of a tile, and unusual letters.
const short = cases.map(({ sequence }) => sequence).filter(({ length }) => length <= 65);

describe.each(implementations)('the network with %s', (name, create) => {
  const network = new SequenceNetwork(layout, bytes, create);
  // Long sequences take seconds without vector instructions, and minutes under sanitizers.
  const isSanitized = process.env.KINDRED_NATIVE_FILE !== undefined;
  const longest = name === 'plain' || isSanitized ? 400 : layout.longest;
  const some = cases.filter(({ sequence }) => sequence.length <= longest);

  it('gives what PyTorch gives to within 0.001, and the bits of WebAssembly', () => {
    expect(some.length).toBeGreaterThan(10);
    for (const { sequence, vector, probabilities } of some) {
      const answer = network.answer(sequence);
      if (answer === null) throw new Error(`no answer for ${sequence.length} residues`);
      expect(largestDifference(answer.vector, vector)).toBeLessThan(1e-3);
      const found = Object.keys(probabilities).map((term) => answer.probabilities[terms.indexOf(term)]);
      expect(largestDifference(found, Object.values(probabilities))).toBeLessThan(1e-3);
      expect(isSame(answer, wasmAnswer(sequence)), `${sequence.length} residues`).toBe(true);
    }
  });

  it('gives the bits of the plain implementation, also after a longer sequence', () => {
    expect(short.length).toBeGreaterThan(5);
    for (const sequence of short)
      expect(isSame(network.answer(sequence), plainAnswer(sequence)), `${sequence.length} residues`).toBe(
        true,
      );
  });

  it('takes a sequence longer than a window', () => {
    const narrow = new SequenceNetwork({ ...layout, longest: 64 }, bytes, create);
    const vector = narrow.vectorOf(cases[7].sequence);
    expect(vector?.some((value) => value !== 0)).toBe(true);
    expect(vector?.every(Number.isFinite)).toBe(true);
  });
});

describe.each(native.map((kernels) => [kernels.instructions, kernels] as const))(
  'the addon with %s',
  (_, kernels) => {
    it('refuses codes and weights that do not fit', () => {
      let kernel: NetworkKernel | undefined;
      new SequenceNetwork(layout, bytes, (program) => {
        kernel = kernels.createNetwork(program);
        expect(() => kernels.createNetwork({ ...program, heads: 5 })).toThrow(RangeError);
        expect(() => kernels.createNetwork({ ...program, steps: program.steps.slice(3) })).toThrow(
          RangeError,
        );
        return kernel;
      });
      expect(() => kernel?.vectorOf(Uint8Array.of(1, 2, 26))).toThrow(/alphabet/);
      expect(() => kernel?.vectorOf(new Uint8Array(0))).toThrow(/1 to 2048 residues/);
      expect(() => kernel?.vectorOf(new Uint8Array(2049))).toThrow(/1 to 2048 residues/);
      expect(() => kernel?.probabilitiesOf(new Float32Array(3))).toThrow(/vector/);
    });
  },
);
