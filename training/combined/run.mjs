// Makes models, curves and tables of the combination again, step by step.
//
//   node training/combined/run.mjs --shared <folder> --out <folder> [--python <program>] [--from <step>]
//
// --python names the Python of an environment with requirements.txt. Steps that were finished in this folder before are
// skipped; --from repeats a step and all later ones. The output of each step is in <out>/<step>.log. The shipped files
// (models/combined, the golden rows, the tables in docs/explanation/accuracy.md) are written in place: `git diff` shows them.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runSteps } from './steps.mjs';

const here = import.meta.dirname;
const shipped = resolve(here, '../../models/combined');
const aspects = ['P', 'F', 'C'];

/** Removes the scores that calibrate.mjs kept, because they are from the previous models. */
function forgetScores(models) {
  if (!existsSync(models)) return;
  for (const name of readdirSync(models)) if (name.endsWith('.scores.json')) rmSync(join(models, name));
}

/** Puts the models of all windows into the repository, and writes into their provenance what they were made from. */
function ship({ out, models }) {
  for (const aspect of aspects)
    copyFileSync(join(models, `all.${aspect}.txt`), join(shipped, `${aspect}.txt`));
  const path = join(shipped, 'provenance.json');
  const provenance = JSON.parse(readFileSync(path, 'utf8'));
  const digest = (aspect) =>
    createHash('sha256')
      .update(readFileSync(join(shipped, `${aspect}.txt`)))
      .digest('hex');
  provenance.inputs_sha256 = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8')).inputs;
  provenance.models_sha256 = Object.fromEntries(aspects.map((aspect) => [aspect, digest(aspect)]));
  writeFileSync(path, `${JSON.stringify(provenance, null, 2)}\n`);
}

/** Returns the steps in their order; a step is left out if the program that it `needs` is missing. */
function stepsOf({ shared, out, python }) {
  const models = join(out, 'models');
  const places = ['--shared', shared, '--out', out];
  const node = (script, ...more) => [process.execPath, join(here, script), ...places, ...more];
  return [
    { name: 'features', command: node('features.mjs') },
    { name: 'train', command: [python, join(here, 'train.py'), out, models] },
    {
      name: 'ship',
      call: () => {
        forgetScores(models);
        ship({ out, models });
      },
    },
    { name: 'golden', command: [python, join(here, 'golden.py'), out] },
    { name: 'shares', command: node('shares.mjs', '--models', models) },
    {
      name: 'calibrate',
      command: node('calibrate.mjs', '--models', models, '--write', join(shipped, 'calibration.json')),
    },
    { name: 'blastp', needs: 'blastp', command: node('blastp.mjs') },
    {
      name: 'evaluate',
      command: [
        ...node('evaluate.mjs', '--models', models, '--write'),
        ...['--figures', join(shipped, 'figures.json')],
      ],
    },
    {
      name: 'curves',
      command: node('curves.mjs', '--models', models, '--write', join(shipped, 'curves.json')),
    },
    { name: 'first-terms', command: node('first-terms.mjs', '--models', models, '--write') },
    { name: 'flags', command: node('flags.mjs', '--models', models) },
    { name: 'nonsense', command: node('nonsense.mjs') },
  ];
}

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    from: { type: 'string' },
  },
});
if (!options.shared || !options.out) {
  console.error(
    'usage: node training/combined/run.mjs --shared <folder> --out <folder> [--python <program>] [--from <step>]',
  );
  process.exit(64);
}
runSteps(stepsOf(options), options);
