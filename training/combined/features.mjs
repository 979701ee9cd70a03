// Writes the features of all windows for train.py, with the kernels by which the product predicts.
//
//   node training/combined/features.mjs --shared <folder> --out <folder>
//
// Each window has the files of training-rows.mjs; index.json names columns, windows and inputs. Relatives are found again and kept in the
// folder, for the later steps. The rows of concealed.mjs are in files of their own.
import { CombinedFeatures, combinedFeatures } from '@kindred/kernels/combined';
import { linkOntology } from '@kindred/kernels/evaluation';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeConcealed } from './concealed.mjs';
import { forgetRelatives, keptRelatives } from './neighbours.mjs';
import { TrainingRows } from './training-rows.mjs';
import { accretionOf, openWindow, queryOf } from './window-reference.mjs';
import { aspects, categories, holdoutOf, inputDigests, openData, targetsOf, windows } from './windows.mjs';

/** Returns similar proteins, by alignment and by distance, of every target. They are computed once and kept in the folder `out`. */
export function neighboursOf(data, out) {
  return keptRelatives(data, { out }, async () => {
    const targets = new Set();
    for (const window of windows)
      for (const protein of targetsOf(await holdoutOf(data, window))) targets.add(protein);
    return targets;
  });
}

/** Returns the terms gained, by protein and aspect, with the category. */
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
  const rows = new TrainingRows();
  const started = performance.now();
  for (const protein of opened.targets) {
    // The variant leaves out half of the proteins, because they are used for training with groups, and never for testing.
    if (variant === 'grouped' && protein % 2 === 0) continue;
    rows.add(protein, combined.describe(queryOf(opened, neighbours, protein)), {
      gainOf: (aspect) => gains.get(`${protein} ${aspect}`),
      accretion,
    });
  }
  const name = variant === 'grouped' ? `${window.name}.grouped` : window.name;
  const ms = (performance.now() - started) / opened.targets.length;
  rows.write(join(out, name));
  for (const line of rows.summary()) console.log(`${name} ${line}`);
  console.log(`${name}: ${ms.toFixed(1)} ms a protein`);
}

async function main() {
  const { values: options } = parseArgs({ options: { shared: { type: 'string' }, out: { type: 'string' } } });
  if (!options.shared || !options.out) {
    console.error('usage: node training/combined/features.mjs --shared <folder> --out <folder>');
    process.exit(64);
  }
  mkdirSync(options.out, { recursive: true });
  forgetRelatives(options.out);
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
  const concealed = await writeConcealed(make, 2018, 'plain');
  await writeConcealed(make, 2018, 'grouped');
  concealed.push(...(await writeConcealed(make, 2020, 'plain')));
  const index = {
    features: combinedFeatures,
    aspects,
    categories,
    windows: windows.map(({ name, organism, before }) => ({ name, organism, before })),
    concealed,
    inputs: inputDigests(join(options.shared, 'data')),
  };
  writeFileSync(join(options.out, 'index.json'), `${JSON.stringify(index, null, 1)}\n`);
}

if (import.meta.filename === process.argv[1]) await main();
