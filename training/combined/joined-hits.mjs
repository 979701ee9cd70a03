// Measures what hits of NCBI's blastp change that join the relatives of the own search, as `kindred annotate --hits` joins them.
//
//   node training/combined/joined-hits.mjs --shared <folder> --out <folder> [--resamples 1000]
//
// The windows are those of evaluate.mjs. Bare sequences are scored by votes alone; the combination has the shipped models, which have
// seen these windows, so only its differences mean something. The tables go to standard output.
import { buildSeedIndex } from '@kindred/kernels/homology';
import { encodeResidues } from '@kindred/kernels/alignment';
import { linkOntology } from '@kindred/kernels/evaluation';
import { emptySearchHitFile, readSearchHits } from '@kindred/kernels/formats';
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { joinHits } from '../../apps/server/dist/predict/compute/joined-hits.js';
import { difference, evaluate, figureOf, framesOf, intervalIn } from './frames.mjs';
import { combined, describe, readModels, votes } from './methods.mjs';
import { keptRelatives } from './neighbours.mjs';
import { accretionOf, openWindow } from './window-reference.mjs';
import { openData, tables, windows } from './windows.mjs';

/** The maximum number of relatives by alignment, which is that of the product. */
const k = 50;

/** Searches the targets with blastp, once, and returns the path of the table. */
function searched(data, targets, { out, name }) {
  const path = join(out, `${name}.blastp.tsv`);
  if (existsSync(path)) return path;
  const fasta = (proteins) =>
    proteins.map(({ accession, sequence }) => `>${accession}\n${sequence}\n`).join('');
  writeFileSync(join(out, 'all.fasta'), fasta(data.proteins));
  writeFileSync(join(out, 'targets.fasta'), fasta(targets.map((protein) => data.proteins[protein])));
  execFileSync('makeblastdb', ['-in', join(out, 'all.fasta'), '-dbtype', 'prot', '-out', join(out, 'all')]);
  const files = ['-query', join(out, 'targets.fasta'), '-db', join(out, 'all'), '-out', `${path}.part`];
  execFileSync('blastp', [...files, '-outfmt', '6', '-evalue', '10', '-max_target_seqs', '500'], {
    stdio: 'inherit',
  });
  renameSync(`${path}.part`, path);
  return path;
}

async function hitsOf({ numberOf }, path) {
  const hits = new Map();
  for await (const batch of readSearchHits(createReadStream(path), emptySearchHitFile()))
    for (const { query, target, logEValue, identity } of batch) {
      const protein = numberOf.get(query);
      if (!hits.has(protein)) hits.set(protein, new Map());
      const known = hits.get(protein).get(target);
      if (known !== undefined && known.logEValue <= logEValue) continue;
      hits.get(protein).set(target, { sequence: numberOf.get(target), logEValue, identity: identity / 100 });
    }
  return hits;
}

/** Returns the relatives of each target with the hits, and those of the hits alone. */
function joined(data, targets, { aligned, hits, speaks }) {
  const index = buildSeedIndex(data.proteins.map(({ sequence }) => encodeResidues(sequence)));
  const of = (protein, found) => ({
    residues: data.proteins[protein].sequence,
    found: found.map((one) => ({ ...one, sequence: one.reference, origin: 0 })),
    hits: [...(hits.get(protein)?.values() ?? [])].filter(({ sequence }) => speaks[sequence] !== 0),
    excluded: protein,
  });
  const make = (found) =>
    new Map(
      targets.map((protein) => {
        const speaking = found(protein).filter(({ reference }) => speaks[reference] !== 0);
        const [relatives] = joinHits([of(protein, speaking)], { index, k, isAborted: () => false });
        return [protein, relatives.map((one) => ({ ...one, reference: one.sequence }))];
      }),
    );
  return { both: make((protein) => aligned.get(protein)), alone: make(() => []) };
}

function line(name, cells, own) {
  const texts = cells.map((cell, i) => {
    if (own === null) {
      const { low, high } = intervalIn(cell, 'fmax');
      return `${figureOf(cell, 'fmax').toFixed(3)} (${low.toFixed(2)}-${high.toFixed(2)})`;
    }
    const { low, high } = difference(cell, own[i], 'fmax');
    return `${figureOf(cell, 'fmax').toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  });
  return `| ${name} | ${texts.join(' | ')} |`;
}

const { values: options } = parseArgs({
  options: {
    shared: { type: 'string' },
    out: { type: 'string' },
    resamples: { type: 'string', default: '1000' },
  },
});
if (!options.shared || !options.out) {
  console.error('usage: node training/combined/joined-hits.mjs --shared <folder> --out <folder>');
  process.exit(64);
}
mkdirSync(options.out, { recursive: true });
const data = openData(join(options.shared, 'data'));
const ontology = linkOntology(data.columns);
const models = readModels(new URL('../../models/combined', import.meta.url).pathname);

/** Measures the windows of one table. */
async function measure({ name, before }) {
  const opened = [];
  for (const window of windows.filter((one) => one.before === before))
    opened.push(await openWindow(data, window));
  const targets = [...new Set(opened.flatMap((one) => [...one.targets]))];
  const neighbours = await keptRelatives(data, { out: options.out, prefix: `${name}.` }, () => targets);
  const hits = await hitsOf(data, searched(data, targets, { out: options.out, name }));
  const { speaks } = opened[0].reference;
  const { both, alone } = joined(data, targets, { aligned: neighbours.aligned, hits, speaks });
  const frames = framesOf(data, ontology, opened, accretionOf(data, ontology, opened[0]).weights);
  const scored = {
    'bare sequence': (one, relatives) => votes(one, relatives, {}),
    combined: (one, relatives) =>
      combined(data, one, relatives, { described: describe(one, relatives), models }),
  };
  const lines = [];
  for (const [title, method] of Object.entries(scored)) {
    let own = null;
    for (const [words, aligned] of [
      ['own search', neighbours.aligned],
      ['with hits of blastp', both],
      ['hits of blastp alone', alone],
    ]) {
      const predictions = opened.map((one) => method(one, { ...neighbours, aligned }));
      const cells = evaluate(data, { frames, opened }, predictions, {
        resamples: Number(options.resamples),
      });
      if (lines.length === 0) {
        const head = cells.map(({ category, aspect, proteins }) => `${category} ${aspect} (${proteins})`);
        lines.push(`| Fmax | ${head.join(' | ')} |`, `|---${'|---'.repeat(head.length)}|`);
      }
      lines.push(line(`${title}, ${words}`, cells, own));
      own ??= cells;
    }
  }
  return lines;
}

for (const table of tables) console.log(`\n${table.title}\n\n${(await measure(table)).join('\n')}`);
