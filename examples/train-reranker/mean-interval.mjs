// Computes the mean of f_micro_w over all categories and aspects for two evaluated methods, with the paired interval of its difference.
// Proteins are drawn again together, in all cells in which they occur, so that no assumption about the dependence between cells is
// needed.
//
//   node examples/train-reranker/mean-interval.mjs --obo <file> <folder> <folder> [--resamples 1000]
//
// Each folder is an unpacked artifacts.zip of an evaluation result; the difference is the second minus the first.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Random } from '@kindred/kernels/arrays';
import {
  AnnotationCollector,
  buildFrame,
  evaluateMethod,
  linkOntology,
  TermWeightCollector,
} from '@kindred/kernels/evaluation';
import { ontologyColumns, parseObo } from '@kindred/kernels/ontology';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { obo: { type: 'string' }, resamples: { type: 'string', default: '1000' } },
});
if (options.obo === undefined || folders.length !== 2) {
  console.error('Give --obo and two folders.');
  process.exit(64);
}

function bytesOf(path) {
  const bytes = readFileSync(path);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function read(path, collector) {
  collector.push(bytesOf(path));
  return collector.end();
}

const ontology = linkOntology(ontologyColumns(parseObo(bytesOf(options.obo), { allowUnversioned: true })));

/** Returns the weighted contributions of every protein, cell by cell: each category and aspect with truth. */
function cellsOf(folder) {
  const [file] = readdirSync(join(folder, 'predictions'));
  return ['NK', 'LK', 'PK'].flatMap((category) => {
    const table = (name) => read(join(folder, name), new AnnotationCollector(ontology));
    const truth = table(`gt_${category}.tsv`);
    const frame = buildFrame({
      ontology,
      truth,
      known: category === 'PK' ? table('known_terms.tsv') : undefined,
      weights: read(join(folder, 'IA.tsv'), new TermWeightCollector(ontology)),
      noOrphans: true,
    });
    const settings = { propagation: 'fill', normalisation: 'cafa', thresholdStep: 0.01 };
    const lines = bytesOf(join(folder, 'predictions', file));
    const give = (evaluator) => evaluator.push(lines);
    const evaluated = evaluateMethod(frame, give, settings, { contributions: true });
    return evaluated.namespaces.map(({ namespace, tau, contributions }) => {
      const at = frame.namespaces.findIndex((one) => one.namespace.name === namespace);
      const proteins = Array.from(truth.namespaces[at].proteinOf, (number) => truth.proteins.textOf(number));
      return {
        name: `${category} ${namespace}`,
        thresholds: tau.length,
        proteins,
        pass: contributions.weighted,
      };
    });
  });
}

/**
 * Returns the largest harmonic mean of summed precision and recall over the thresholds, with each protein counted times.get(protein)
 * times.
 */
function microF({ thresholds, proteins, pass }, times) {
  const tp = new Float64Array(thresholds);
  const fp = new Float64Array(thresholds);
  let truth = 0;
  proteins.forEach((protein, row) => {
    const count = times.get(protein) ?? 0;
    if (count === 0) return;
    if (pass.counted[row]) truth += count * pass.truthWeight[row];
    for (let e = pass.stepStart[row]; e < pass.stepStart[row + 1]; e++) {
      tp[pass.at[e]] += count * pass.changes[e * 4];
      fp[pass.at[e]] += count * pass.changes[e * 4 + 1];
    }
  });
  let best = 0;
  let found = 0;
  let wrong = 0;
  for (let k = thresholds - 1; k >= 0; k--) {
    found += tp[k];
    wrong += fp[k];
    if (found > 0) best = Math.max(best, (2 * found) / (found + wrong + truth));
  }
  return best;
}

const methods = folders.map(cellsOf);
const all = [...new Set(methods[0].flatMap(({ proteins }) => proteins))].sort();
const meanOf = (cells, times) => cells.reduce((sum, cell) => sum + microF(cell, times), 0) / cells.length;
const once = new Map(all.map((protein) => [protein, 1]));
const [before, after] = methods.map((cells) => meanOf(cells, once));
const random = new Random(1);
const differences = [];
for (let i = 0; i < Number(options.resamples); i++) {
  const times = new Map();
  for (let draw = 0; draw < all.length; draw++) {
    const protein = all[random.integer(all.length)];
    times.set(protein, (times.get(protein) ?? 0) + 1);
  }
  differences.push(meanOf(methods[1], times) - meanOf(methods[0], times));
}
differences.sort((a, b) => a - b);
const quantile = (share) => differences[Math.round(share * (differences.length - 1))];
for (const [at, cell] of methods[0].entries()) {
  const values = methods.map((cells) => microF(cells[at], once).toFixed(3));
  console.log(`${cell.name}: ${values.join(' -> ')}`);
}
console.log(
  `mean f_micro_w of ${methods[0].length} cells, ${all.length} proteins: ${before.toFixed(3)} -> ${after.toFixed(3)}, ` +
    `difference ${(after - before).toFixed(3)} (95 %: ${quantile(0.025).toFixed(3)} to ${quantile(0.975).toFixed(3)})`,
);
