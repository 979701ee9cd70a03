// Says by which model each protein is scored, and which models may not learn from it. A model leaves out a group of organisms, each family
// that has a target of these, and a quarter of the families that no group has. MMseqs2 (mmseqs) makes the families.
//
//   node training/combined/bare-folds.mjs --out <folder of bare-rows.mjs> [--learnt <folder of bare_train.py>]
//
// With --learnt the targets are further ones, scored by models that learnt from other targets: one has a model only if no target of its
// family, learnt from, was in that model's training.
//
// folds.json has, by window and protein, the number of the model that scores it, and a mask of the models that leave it out.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { leftOut } from './bare-sources.mjs';

const { values: options } = parseArgs({ options: { out: { type: 'string' }, learnt: { type: 'string' } } });
if (!options.out) throw new Error('usage: bare-folds.mjs --out FOLDER [--learnt FOLDER]');
const at = (name) => join(options.out, name);
const targets = JSON.parse(readFileSync(at('targets.json'), 'utf8'));
const { windows } = JSON.parse(readFileSync(at('index.json'), 'utf8'));

/** Returns the representative of each accession's family: clusters of 40 % identity over 80 % of both lengths. */
function familiesOf(all) {
  const sequences = new Map(all.map(({ accession, sequence }) => [accession, sequence]));
  writeFileSync(at('targets.fasta'), [...sequences].map(([name, text]) => `>${name}\n${text}\n`).join(''));
  const run = spawnSync(
    'mmseqs',
    [
      'easy-cluster',
      ...[at('targets.fasta'), at('families'), at('mmseqs')],
      ...['--min-seq-id', '0.4', '-c', '0.8', '--threads', '1', '-v', '1'],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (run.status !== 0) throw new Error('mmseqs failed; install MMseqs2 (Debian: mmseqs2)');
  const lines = readFileSync(at('families_cluster.tsv'), 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => line.split('\t').reverse()));
}

const groupOf = (organism) => leftOut.findIndex((group) => group.includes(organism));
const targetsIn = (named, of) =>
  named.flatMap(({ name, organism }) => of[name].map((one) => ({ ...one, name, organism })));
const quarterOf = (family) => createHash('sha256').update(family).digest()[0] % leftOut.length;
const modelsIn = (mask) => leftOut.flatMap((_, number) => (mask & (1 << number) ? [number] : []));

/** Returns the models that leave out each family of the targets. */
function masksOf(all, familyOf) {
  const masks = new Map();
  for (const { accession, organism } of all) {
    const family = familyOf.get(accession);
    const group = groupOf(organism);
    masks.set(family, (masks.get(family) ?? 0) | (group < 0 ? 0 : 1 << group));
  }
  for (const [family, mask] of masks) if (mask === 0) masks.set(family, 1 << quarterOf(family));
  return masks;
}

/** Returns the models that saw no target of each family of further targets, by what they left out. */
function unseenMasks(all, familyOf, { targets: learnt, folds: learntFolds }) {
  const every = (1 << leftOut.length) - 1;
  const masks = new Map(all.map(({ accession }) => [familyOf.get(accession), every]));
  for (const [name, proteins] of Object.entries(learnt))
    for (const { accession, protein } of proteins) {
      const family = familyOf.get(accession);
      if (masks.has(family)) masks.set(family, masks.get(family) & learntFolds[name][protein][1]);
    }
  return masks;
}

const all = targetsIn(windows, targets);
const kept = (name) => JSON.parse(readFileSync(join(options.learnt, name), 'utf8'));
const learnt = options.learnt && { targets: kept('targets.json'), folds: kept('folds.json') };
const familyOf = familiesOf([...all, ...(learnt ? Object.values(learnt.targets).flat() : [])]);
const masks = learnt ? unseenMasks(all, familyOf, learnt) : masksOf(all, familyOf);

const folds = {};
for (const { name, organism, accession, protein } of all) {
  const family = familyOf.get(accession);
  const mask = masks.get(family);
  const group = groupOf(organism);
  const allowed = modelsIn(mask).filter((number) => group < 0 || number === group);
  folds[name] ??= {};
  if (allowed.length > 0) folds[name][protein] = [allowed[quarterOf(family) % allowed.length], mask];
}
writeFileSync(at('folds.json'), JSON.stringify(folds));
const scored = Object.values(folds).reduce((sum, one) => sum + Object.keys(one).length, 0);
console.log(`${all.length} targets of ${masks.size} families, ${scored} of them with a model`);
leftOut.forEach((group, number) => {
  const left = all.filter(({ accession }) => masks.get(familyOf.get(accession)) & (1 << number)).length;
  console.log(`model ${number} (without ${group.join(' and ')}): ${left} targets left out`);
});
