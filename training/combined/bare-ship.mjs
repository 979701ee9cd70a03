// Puts the models of eukaryotes into models/combined, and writes what they were made from beside them: those of bare sequences, or with
// --known those of known proteins.
//
//   node training/combined/bare-ship.mjs --shared <folder> --goa <folder> --out <folder of bare_train.py> [--known]
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { votesShareOf } from '@kindred/kernels/combined';
import { kinds, leftOut } from './bare-sources.mjs';
import { aspects, inputDigests } from './windows.mjs';

const shipped = resolve(import.meta.dirname, '../../models/combined');
const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['shared', 'goa', 'out'].map((name) => [name, { type: 'string' }])),
    known: { type: 'boolean', default: false },
  },
});
const { shared, goa, out } = options;
if (!shared || !goa || !out)
  throw new Error('usage: bare-ship.mjs --shared FOLDER --goa FOLDER --out FOLDER [--known]');
const kind = options.known ? 'known' : 'bare';
const { human: mostHuman, goa: most, trees } = kinds[kind];
const whose = { bare: 'bare sequences of eukaryotes', known: 'known proteins of eukaryotes' };
const references = {
  bare: 'each query beside a reference with its own organism, and beside one without',
  known: 'each query beside a reference with its own organism, and with its own annotations',
};

const digest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
/** Returns the hashes of the files of a folder that have one of the endings. */
const digestsIn = (folder, endings) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => endings.some((ending) => name.endsWith(ending)))
      .sort()
      .map((name) => [name, digest(join(folder, name))]),
  );

for (const aspect of aspects)
  copyFileSync(join(out, 'models', `all.${aspect}.txt`), join(shipped, `${kind}.${aspect}.txt`));
const { windows, columns } = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
const human = join(shared, 'data/human-2018-2022');
const provenance = {
  what: `Models of ${whose[kind]}: P process, F function, C component. The votes have ${votesShareOf[kind]} of the score, and the model the rest.`,
  made_by: 'training/combined/bare-run.mjs (bare-rows.mjs, bare-folds.mjs, then bare_train.py; model "all")',
  lightgbm: '4.6.0',
  parameters: `those of provenance.json, but 31 leaves and ${trees} trees`,
  most_targets: { human_2018: Number.isFinite(mostHuman) ? mostHuman : 'all', each_of_2014: most },
  windows: windows.map(({ name }) => name),
  references: references[kind],
  columns: columns.filter((name) => !name.startsWith('network_')).length,
  left_out_in_tests: leftOut,
  inputs_sha256: {
    ...inputDigests(join(shared, 'data')),
    ...digestsIn(human, ['.gaf.gz', '.fasta.gz']),
    ...digestsIn(goa, ['.gaf.gz', '.fasta.gz']),
  },
  models_sha256: Object.fromEntries(
    aspects.map((aspect) => [aspect, digest(join(shipped, `${kind}.${aspect}.txt`))]),
  ),
  licence_of_inputs: 'GO annotations and UniProt: CC BY 4.0',
};
writeFileSync(join(shipped, `${kind}-provenance.json`), `${JSON.stringify(provenance, null, 2)}\n`);
