// Works for growth.bench.mjs: answers queries against references of one size, and prints what it took as a line of JSON for each number
// of queries.
//
//   node --expose-gc benchmarks/growth-process.mjs SHARED FASTA PAIRS REFERENCES QUERIES[,QUERIES...]
//
// The queries are proteins of the reference, which never find themselves, in batches of 32 as in the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { combinedTask } from '../apps/server/dist/predict/compute/tasks/combined.js';
import { kmerVectors } from '../training/combined/neighbours.mjs';
import { pairedProteins } from './combined-data.mjs';
import { control, openCombined } from './combined-sources.mjs';
import { ownMemory } from './service-processes.mjs';

const [shared, fasta, pairs, references, wanted] = process.argv.slice(2);
const batch = 32;
const kind = { isKnown: true, hasModel: true };

const folder = mkdtempSync(join(tmpdir(), 'kindred-growth-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const proteins = await pairedProteins(shared, fasta, pairs, { references: Number(references) });
const { sequences, inputOf } = await openCombined(proteins, folder);

/** Answers queries spread evenly over the references. Vectors are made of each batch, as they come in a service, and are not measured. */
async function answer(count) {
  let [micros, mib, rows] = [0, 0, 0];
  for (let from = 0; from < count; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, count - from) }, (_, q) =>
      Math.floor(((from + q) * sequences.length) / count),
    );
    const vectors = await kmerVectors(numbers.map((protein) => sequences[protein]));
    const before = process.cpuUsage();
    const { query } = await combinedTask.run(inputOf(numbers, vectors, kind), control);
    const { user, system } = process.cpuUsage(before);
    micros += user + system;
    rows += query.length;
    mib = Math.max(mib, ownMemory());
  }
  return { references: sequences.length, queries: count, milliseconds: micros / 1000, mib, rows };
}

// The memory that building the references took is not needed to answer.
globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
await answer(20);
for (const queries of wanted.split(',').map(Number)) console.log(JSON.stringify(await answer(queries)));
