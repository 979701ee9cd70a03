import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piece } from '../tokens/unigram.js';
import { readSafetensors } from '../weights/safetensors.js';

const goldenFolder = fileURLToPath(new URL('../../golden', import.meta.url));

/** The sequences of golden/make.py. */
export const goldenSequences = [
  'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ',
  'GSHMWUCZOBXAAYRPNDE',
  'MA',
];
export const goldenFamilies = ['esm2', 'esm1b', 'esmc', 'e1', 'prott5', 'prostt5', 'ankh', 'protbert'];

/** Makes a models folder of the service, with copies of the golden models. */
export function modelsFolder(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-models-'));
  for (const name of names) cpSync(join(goldenFolder, name), join(folder, name), { recursive: true });
  return folder;
}

export const filesOf = (folder: string): string[] => readdirSync(folder);

export function readTokens(folder: string): Record<string, number[]> {
  return JSON.parse(readFileSync(join(folder, 'tokens.json'), 'utf8')) as Record<string, number[]>;
}

/** Reads tokenizers of several kinds, and how transformers cuts texts with them (with a token before and after). */
export function readCuts(folder: string): Record<string, { vocab: Piece[]; ids: Record<string, number[]> }> {
  return JSON.parse(readFileSync(join(folder, 'cuts.json'), 'utf8')) as ReturnType<typeof readCuts>;
}

/** Reads hidden states from the reference program: [sequence number][layer] -> float32 [length x hidden]. */
export async function readExpected(
  folder: string,
  file = 'expected.safetensors',
): Promise<Map<number, Float32Array[]>> {
  const path = join(folder, file);
  const bytes = readFileSync(path);
  const states = new Map<number, Float32Array[]>();
  for (const [name, { offsetBytes, sizeBytes }] of await readSafetensors(path)) {
    const match = /^s(\d+)\.h(\d+)$/.exec(name);
    if (!match) continue;
    const list = states.get(Number(match[1])) ?? [];
    list[Number(match[2])] = new Float32Array(
      Uint8Array.from(bytes.subarray(offsetBytes, offsetBytes + sizeBytes)).buffer,
    );
    states.set(Number(match[1]), list);
  }
  return states;
}
