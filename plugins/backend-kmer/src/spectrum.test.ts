import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planFeatures } from './features.js';
import { halfWave } from './half-wave.js';
import { encodeLetters, Spectrum } from './spectrum.js';
import { componentCount, letters, substitutionComponents, unknownLetter } from './substitution.js';
import { WasmSpectrum } from './wasm-spectrum.js';

const components = substitutionComponents();
const plan = planFeatures(components, 1024);
const spectrum = new Spectrum(components, plan);
const protein = fc.string({
  unit: fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYBJOUXZ'),
  minLength: 1,
  maxLength: 70,
});

/** Computes the vector by its definition, residue by residue, without tables of counts. */
function plainVector(codes: Uint8Array, window: number): Float64Array {
  const n = codes.length;
  const known = [...codes].filter((code) => code !== unknownLetter).length;
  const out = new Float64Array(plan.dimension);
  if (known === 0) return out;
  const raw = (c: number, i: number) => components.values[c * letters.length + codes[i]];
  const means = Array.from(
    { length: componentCount },
    (_, c) => codes.reduce((sum, _, i) => sum + raw(c, i), 0) / known,
  );
  const centred = (c: number, i: number) => (codes[i] === unknownLetter ? 0 : raw(c, i) - means[c]);
  const wave = (m: number, at: number) =>
    m === 0 ? 1 : Math.SQRT2 * Math.cos((Math.PI * m * (at + 0.5)) / n);
  const put = (index: number, sum: number, weight: number) => {
    out[index] = Math.sign(sum) * (Math.abs(sum) / Math.sqrt(known)) ** 0.625 * weight;
  };
  for (const { component, wave: m, weight, index } of plan.singles) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += (m === 0 ? raw(component, i) : centred(component, i)) * wave(m, i);
    put(index, sum, weight);
  }
  for (const { gap, wave: m, features } of plan.tables) {
    for (const { first, second, weight, index } of features) {
      let sum = 0;
      for (let i = 0; i + gap < n; i++) {
        if (Math.floor(i / window) !== Math.floor((i + gap) / window)) continue;
        sum += centred(first, i) * centred(second, i + gap) * wave(m, i + gap / 2);
      }
      put(index, sum, weight);
    }
  }
  return out;
}

describe('Spectrum', () => {
  it('equals the residue-by-residue definition, for all letters and windows', () => {
    fc.assert(
      fc.property(protein, fc.integer({ min: 2, max: 90 }), (sequence, window) => {
        const codes = encodeLetters(sequence);
        const fast = spectrum.embed(codes, window);
        // The tolerance is wide, because the power 5/8 magnifies rounding near 0: 1e-15 becomes 4e-10.
        plainVector(codes, window).forEach((expected, i) => {
          expect(Math.abs(fast[i] - expected)).toBeLessThan(1e-7);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('has the features of the smaller model first', () => {
    const codes = encodeLetters('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ');
    const small = new Spectrum(components, planFeatures(components, 512)).embed(codes, 1022);
    expect([...spectrum.embed(codes, 1022).subarray(0, 512)]).toEqual([...small]);
  });

  it('reads U as C and O as K, and gives zeros when nothing is known', () => {
    expect(spectrum.embed(encodeLetters('MUKO'), 99)).toEqual(spectrum.embed(encodeLetters('MCKK'), 99));
    expect(spectrum.embed(encodeLetters('XXX'), 99).every((x) => x === 0)).toBe(true);
  });

  it('names the position of a letter that is not a residue', () => {
    expect(() => encodeLetters('MK*A')).toThrow("position 3: '*'");
    expect(() => encodeLetters('MKa')).toThrow('position 3');
    expect(() => encodeLetters('Mé')).toThrow('position 2');
  });
});

describe('WasmSpectrum', () => {
  const bits = (vector: Float64Array) => [...new BigUint64Array(vector.slice().buffer)];

  it.each([512, 1024, 2048])('equals the plain code to the last bit, with %i features', (dimension) => {
    const ofModel = planFeatures(components, dimension);
    const plain = new Spectrum(components, ofModel);
    const wasm = new WasmSpectrum(components, ofModel);
    const check = (sequence: string, window: number) => {
      const codes = encodeLetters(sequence);
      expect(bits(wasm.embed(codes, window))).toEqual(bits(plain.embed(codes, window)));
    };
    fc.assert(fc.property(protein, fc.integer({ min: 2, max: 90 }), check), { numRuns: 60 });
    for (const letter of ['A', 'X', 'B']) check(letter, 1022);
    // This long sequence is between short ones, so that the memory grows and is used again.
    check('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ'.repeat(1500), 1022);
    check('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ', 4_000_000_000);
  });
});

it('halfWave is a cosine with root mean square 1', () => {
  for (const n of [1, 2, 7, 500, 40_000]) {
    const wave = halfWave(n);
    let worst = 0;
    for (let j = 0; j <= 2 * n; j++)
      worst = Math.max(worst, Math.abs(wave[j] - Math.SQRT2 * Math.cos((Math.PI * j) / (2 * n))));
    expect(worst).toBeLessThan(1e-13);
  }
});
