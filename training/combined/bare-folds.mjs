// Says by which model each protein is scored, and which models may not learn from it. A model leaves out a group of organisms, each family
// that has a target of these, and a quarter of the families that no group has. MMseqs2 (mmseqs) makes the families.
//
//   node training/combined/bare-folds.mjs --out <folder of bare-rows.mjs>
//
// folds.json has, by window and protein, the number of the model that scores it, and a mask of the models that leave it out.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { leftOut } from './bare-sources.mjs';

const { values: options } = parseArgs({ options: { out: { type: 'string' } } });
if (!options.out) throw new Error('usage: bare-folds.mjs --out FOLDER');
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
const all = windows.flatMap(({ name, organism }) => targets[name].map((one) => ({ ...one, name, organism })));
const familyOf = familiesOf(all);
const masks = new Map();
for (const { accession, organism } of all) {
  const family = familyOf.get(accession);
  const group = groupOf(organism);
  masks.set(family, (masks.get(family) ?? 0) | (group < 0 ? 0 : 1 << group));
}
const quarterOf = (family) => createHash('sha256').update(family).digest()[0] % leftOut.length;
for (const [family, mask] of masks) if (mask === 0) masks.set(family, 1 << quarterOf(family));

const folds = {};
for (const { name, organism, accession, protein } of all) {
  const family = familyOf.get(accession);
  const mask = masks.get(family);
  const allowed = leftOut.flatMap((_, number) => (mask & (1 << number) ? [number] : []));
  const group = groupOf(organism);
  folds[name] ??= {};
  folds[name][protein] = [group < 0 ? allowed[quarterOf(family) % allowed.length] : group, mask];
}
writeFileSync(at('folds.json'), JSON.stringify(folds));
console.log(`${all.length} targets of ${masks.size} families`);
leftOut.forEach((group, number) => {
  const left = all.filter(({ accession }) => masks.get(familyOf.get(accession)) & (1 << number)).length;
  console.log(`model ${number} (without ${group.join(' and ')}): ${left} targets left out`);
});
