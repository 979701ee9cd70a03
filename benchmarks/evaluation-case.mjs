// Writes a GO-sized evaluation case into a folder: the real ontology of examples/, made-up proteins, truth, predictions and information
// accretion. The same numbers give the same files.
//   node benchmarks/evaluation-case.mjs <folder> [proteins=10000] [predictions=2000000] [seed=1]
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const ontologyFile = fileURLToPath(new URL('../examples/go-basic-2022-07-01.obo.gz', import.meta.url));

/** Makes Mulberry32, a generator of uniform numbers in [0, 1). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns the live terms of each namespace: ids and parents by is_a and part_of. */
function namespacesOf(obo) {
  const groups = new Map();
  for (const stanza of obo.split('\n\n')) {
    const id = /^\[Term\]\nid: (\S+)/m.exec(stanza)?.[1];
    const namespace = /^namespace: (\S+)/m.exec(stanza)?.[1];
    if (!id || !namespace || /^is_obsolete: true/m.test(stanza)) continue;
    const links = [...stanza.matchAll(/^(?:is_a:|relationship: part_of) (\S+)/gm)].map((match) => match[1]);
    if (!groups.has(namespace)) groups.set(namespace, []);
    groups.get(namespace).push({ id, links });
  }
  return [...groups.values()];
}

export async function writeCase(folder, { proteins = 10_000, predictions = 2_000_000, seed = 1 } = {}) {
  const random = generator(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  mkdirSync(join(folder, 'predictions'), { recursive: true });
  const obo = gunzipSync(readFileSync(ontologyFile)).toString();
  writeFileSync(join(folder, 'ontology.obo'), obo);
  const namespaces = namespacesOf(obo);

  let ia = '';
  for (const terms of namespaces) {
    for (const { id } of terms) ia += `${id}\t${random() < 0.65 ? (random() * 12).toFixed(4) : '0.0'}\n`;
  }
  writeFileSync(join(folder, 'ia.tsv'), ia);

  // Each protein has truth in a namespace with probability 0.715, three terms on average.
  let truth = '';
  const truths = [];
  for (let p = 0; p < proteins; p++) {
    const own = namespaces.map((terms) => {
      if (random() >= 0.715) return [];
      return Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(terms));
    });
    if (own.every((terms) => terms.length === 0)) own[0].push(pick(namespaces[0]));
    for (const { id } of own.flat()) truth += `P${String(p).padStart(5, '0')}\t${id}\n`;
    truths.push(own);
  }
  writeFileSync(join(folder, 'ground_truth.tsv'), truth);

  // Each prediction is a true term (3 in 100, scored higher) or any term, with namespaces drawn by size.
  const out = createWriteStream(join(folder, 'predictions', 'method.tsv'));
  const all = namespaces.flat();
  const each = predictions / proteins;
  for (let p = 0; p < proteins; p++) {
    const known = truths[p].flat();
    let lines = '';
    for (let i = Math.round(p * each); i < Math.round((p + 1) * each); i++) {
      const hit = random() < 0.03;
      const score = hit ? 0.3 + 0.7 * random() : random() ** 2;
      lines += `P${String(p).padStart(5, '0')}\t${(hit ? pick(known) : pick(all)).id}\t${Math.max(0.001, score).toFixed(3)}\n`;
    }
    if (!out.write(lines)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, proteins, predictions, seed] = process.argv.slice(2);
  if (!folder)
    throw new Error('usage: node benchmarks/evaluation-case.mjs <folder> [proteins] [predictions] [seed]');
  const number = (text) => (text === undefined ? undefined : Number(text));
  await writeCase(folder, {
    proteins: number(proteins),
    predictions: number(predictions),
    seed: number(seed),
  });
}
