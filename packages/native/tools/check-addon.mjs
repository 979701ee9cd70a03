// Checks an addon against the portable kernels, to the last bit, with each instruction set that runs here:
//   node packages/native/tools/check-addon.mjs FILE
// The script needs only Node and the compiled workspaces, so it also runs where no test runner does: under an emulator of another
// processor. It exits with 1 and says what differs.
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encodeResidues, plainAligner } from '@kindred/kernels/alignment';
import { Random } from '@kindred/kernels/arrays';
import {
  blastScoring,
  buildSeedIndex,
  createPlainCandidateFinder,
  lowComplexity,
} from '@kindred/kernels/homology';
import { searchNaive } from '@kindred/kernels/knn';
import { SequenceNetwork } from '@kindred/kernels/network';
import { BankWriter, loadNative } from '../dist/index.js';

const file = process.argv[2];
if (file === undefined) throw new Error('usage: check-addon.mjs FILE');
const root = new URL('../../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root));
const random = new Random('check-addon');
const below = (n) => random.uint32() % n;

/** Proteins of the example set and parts of them with changes, so that many are related. */
function proteins() {
  const texts = gunzipSync(read('examples/reference.fasta.gz')).toString().split('>').slice(1, 41);
  const whole = texts.map((text) => text.slice(text.indexOf('\n')).replaceAll('\n', '').slice(0, 400));
  const changed = whole.map((one) => {
    const letters = [...one];
    letters.splice(below(60), below(30));
    for (let i = 0; i < letters.length / 4; i++)
      letters[below(letters.length)] = 'ARNDCQEGHILKMFPSTWYV'[below(20)];
    return letters.join('');
  });
  return [...whole, ...changed].map(encodeResidues);
}
const sequences = proteins();

/** Each check returns what the kernels say, for the portable ones (`native` is null) and for those of the addon. */
const checks = {
  alignments(native) {
    const aligner = native?.createAligner() ?? plainAligner;
    const query = Int32Array.from({ length: 60 }, (_, pair) => pair);
    const target = query.map((pair) => (pair + 40) % sequences.length);
    const pairs = { sequences, query, target };
    return ['global', 'local', 'overlap'].map((mode) => aligner.align(pairs, { mode }));
  },
  'search for relatives'(native) {
    const index = buildSeedIndex(sequences);
    const finder = native?.createCandidateFinder(index) ?? createPlainCandidateFinder(index);
    const asked = sequences.slice(0, 40);
    const start = new Int32Array(asked.length + 1);
    asked.forEach((codes, q) => (start[q + 1] = start[q] + codes.length));
    const queries = {
      codes: Uint8Array.from(asked.flatMap((codes) => [...codes])),
      start,
      masked: Uint8Array.from(asked.flatMap((codes) => [...lowComplexity(codes)])),
      excluded: new Int32Array(asked.length).fill(-1),
      minimumBand: new Int32Array(asked.length).fill(1),
    };
    return finder.find(queries, { scoring: blastScoring, limit: 20 });
  },
  'sequence network'(native) {
    const layout = JSON.parse(read('models/network/layout.json'));
    const weights = read('models/network/weights.bin');
    const cases = JSON.parse(gunzipSync(read('packages/kernels/src/network/golden/parity.json.gz')));
    const network = new SequenceNetwork(layout, weights, native?.createNetwork);
    return cases
      .filter(({ sequence }) => sequence.length < 66)
      .map(({ sequence }) => network.answer(sequence));
  },
  async 'nearest vectors'(native) {
    const dimension = 48;
    const rows = 400;
    const numbers = new Random('vectors');
    const vectors = Float32Array.from({ length: rows * dimension }, () => 1 + numbers.normal());
    const order = Int32Array.from({ length: rows }, (_, row) => row);
    const bank = { vectors, dimension, reference: order, sequence: order, rank: order.toReversed() };
    const queries = { vectors: vectors.slice(0, 20 * dimension), sequence: order.slice(0, 20) };
    const searches = ['cosine', 'l2'].map((metric) => ({ metric, k: 7, includeSelf: false }));
    if (native === null) return searches.map((options) => searchNaive(bank, queries, options));
    const path = join(folder, 'vectors.bank');
    const writer = new BankWriter(path, { ...bank, rows });
    writer.append(vectors);
    writer.finish();
    const opened = native.openBank(path);
    const found = await Promise.all(searches.map((options) => opened.search(queries, options)));
    await opened.close();
    return found.map(({ lists }) => lists);
  },
};

const best = loadNative({ file: resolve(file) });
if (best === null) throw new Error(`${file} does not load on ${process.platform}-${process.arch}`);
const folder = mkdtempSync(join(tmpdir(), 'check-addon-'));
try {
  for (const [name, check] of Object.entries(checks)) {
    const expected = await check(null);
    for (const use of best.available)
      deepStrictEqual(await check(loadNative({ file: resolve(file), use })), expected, name);
    process.stdout.write(`${name}: equal with ${best.available.join(', ')}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
