// Writes the features of all windows for train.py, with the kernels by which the product predicts.
//
//   node tools/train-combined/features.mjs --shared <folder> --out <folder>
//
// Of each window and aspect: <window>.<aspect>.features (float32, row-major), .rows (int32: protein, term, right,
// category as 0 NK, 1 LK, 2 PK) and .weights (float32); index.json names columns, windows and inputs. Relatives are
// found once and kept in the folder.
import { CombinedFeatures, combinedFeatures } from '@kindred/kernels/combined';
import { linkOntology } from '@kindred/kernels/evaluation';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { alignmentNeighbours, distanceNeighbours } from './neighbours.mjs';
import { accretionOf, openWindow, queryOf } from './window-reference.mjs';
import { aspects, categories, holdoutOf, inputDigests, openData, targetsOf, windows } from './windows.mjs';

/** Relatives of the targets of all windows, from the folder if they were found before. */
export async function neighboursOf(data, out) {
  const kept = async (name, find) => {
    const path = join(out, `${name}.json`);
    if (!existsSync(path)) {
      const targets = new Set();
      for (const window of windows)
        for (const protein of targetsOf(await holdoutOf(data, window))) targets.add(protein);
      writeFileSync(path, JSON.stringify([...(await find(data.proteins, Int32Array.from(targets).sort()))]));
    }
    return new Map(JSON.parse(readFileSync(path, 'utf8')));
  };
  return {
    aligned: await kept('alignment', alignmentNeighbours),
    near: await kept('distance', distanceNeighbours),
  };
}

/** Terms gained, by protein and aspect, with the category. */
export function gainsOf({ graph }, holdout) {
  const gains = new Map();
  categories.forEach((category, number) => {
    const { protein, term } = holdout.truth[category];
    protein.forEach((p, i) => {
      const key = `${p} ${graph.aspects[term[i]]}`;
      if (!gains.has(key)) gains.set(key, { category: number, terms: new Set() });
      gains.get(key).terms.add(term[i]);
    });
  });
  return gains;
}

async function writeWindow({ data, neighbours, ontology, kernels, out }, window, variant) {
  const opened = await openWindow(data, window, { lookUpGroups: variant === 'grouped' });
  const accretion = accretionOf(data, ontology, opened).ofTerm;
  const gains = gainsOf(data, opened.holdout);
  if (!kernels.has(opened.reference)) kernels.set(opened.reference, new CombinedFeatures(opened.reference));
  const combined = kernels.get(opened.reference);
  const parts = aspects.map(() => ({ features: [], rows: [], weights: [], found: 0, gained: 0 }));
  const started = performance.now();
  for (const protein of opened.targets) {
    // Half of the proteins are used for training with groups, never for testing.
    if (variant === 'grouped' && protein % 2 === 0) continue;
    const described = combined.describe(queryOf(opened, neighbours, protein));
    described.forEach(({ terms, features }, a) => {
      const gain = gains.get(`${protein} ${aspects[a]}`);
      if (gain === undefined) return;
      const part = parts[a];
      part.features.push(Float32Array.from(features));
      part.gained += gain.terms.size;
      for (const term of terms) {
        const right = Number(gain.terms.has(term));
        part.found += right;
        part.rows.push(protein, term, right, gain.category);
        part.weights.push(Math.sqrt(0.2 + accretion[term]));
      }
    });
  }
  const name = variant === 'grouped' ? `${window.name}.grouped` : window.name;
  const ms = (performance.now() - started) / opened.targets.length;
  parts.forEach((part, a) => {
    const values = new Float32Array(part.features.reduce((sum, { length }) => sum + length, 0));
    part.features.reduce((at, some) => (values.set(some, at), at + some.length), 0);
    const path = join(out, `${name}.${aspects[a]}`);
    writeFileSync(`${path}.features`, values);
    writeFileSync(`${path}.rows`, Int32Array.from(part.rows));
    writeFileSync(`${path}.weights`, Float32Array.from(part.weights));
    const share = ((100 * part.found) / part.gained).toFixed(1);
    console.log(
      `${name} ${aspects[a]}: ${part.rows.length / 4} rows, ${share} % of what was gained is among them`,
    );
  });
  console.log(`${name}: ${ms.toFixed(1)} ms a protein`);
}

async function main() {
  const { values: options } = parseArgs({ options: { shared: { type: 'string' }, out: { type: 'string' } } });
  if (!options.shared || !options.out) {
    console.error('usage: node tools/train-combined/features.mjs --shared <folder> --out <folder>');
    process.exit(64);
  }
  mkdirSync(options.out, { recursive: true });
  const data = openData(join(options.shared, 'data'));
  const neighbours = await neighboursOf(data, options.out);
  const make = {
    data,
    neighbours,
    ontology: linkOntology(data.columns),
    kernels: new Map(),
    out: options.out,
  };
  for (const variant of ['plain', 'grouped'])
    for (const window of windows)
      if (variant === 'plain' || window.before === 2018) await writeWindow(make, window, variant);
  const index = {
    features: combinedFeatures,
    aspects,
    categories,
    windows: windows.map(({ name, organism }) => ({ name, organism })),
    inputs: inputDigests(join(options.shared, 'data')),
  };
  writeFileSync(join(options.out, 'index.json'), `${JSON.stringify(index, null, 1)}\n`);
}

if (import.meta.filename === process.argv[1]) await main();
