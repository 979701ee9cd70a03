// Counts how many right and wrong calls GO's taxon constraints remove from the answers for E. coli and yeast.
//
//   node training/combined/flags.mjs --shared <folder> --out <folder> --models <folder>
//
// A call is a predicted term with a score of at least 0.2, where an answer without probabilities ends. The constraints are GO's tables of
// summer 2022, beside the ontology of the windows. The model for an organism has not seen it.
import {
  readTaxonConstraintTable,
  readTaxonUnions,
  TaxonConstraints,
} from '@kindred/kernels/taxon-constraints';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { gainsOf, neighboursOf } from './features.mjs';
import { combined, describe, readModels, votes } from './methods.mjs';
import { openWindow } from './window-reference.mjs';
import { foldOf, openData, windows } from './windows.mjs';

const leastScore = 0.2;
const taxonOf = { ecoli: 83333, yeast: 559292 };

function constraintsOf({ columns }, folder) {
  const text = (name) => readFileSync(join(folder, name), 'utf8');
  const constraints = [
    ...readTaxonConstraintTable(text('only_in_taxon.2022-07.tsv'), 'only_in').constraints,
    ...readTaxonConstraintTable(text('never_in_taxon.2022-07.tsv'), 'never_in').constraints,
  ];
  const unions = readTaxonUnions(text('go-taxon-groupings.obo'));
  const isKnown = ({ taxon }) => taxon.startsWith('NCBITaxon:') || unions.has(taxon);
  return new TaxonConstraints(columns, constraints.filter(isKnown), unions);
}

/** Returns the taxon and all above it. */
function lineageOf(taxon, nodes) {
  const parents = new Map(nodes.split('\n').map((line) => line.split('\t|\t', 2).map(Number)));
  const lineage = [];
  for (let at = taxon; at !== undefined && !lineage.includes(at); at = parents.get(at)) lineage.push(at);
  return lineage;
}

const { values: options } = parseArgs({
  options: Object.fromEntries(['shared', 'out', 'models'].map((name) => [name, { type: 'string' }])),
});
if (!options.shared || !options.out || !options.models) {
  console.error('usage: node training/combined/flags.mjs --shared <folder> --out <folder> --models <folder>');
  process.exit(64);
}
const data = openData(join(options.shared, 'data'));
const neighbours = await neighboursOf(data, options.out);
const rules = constraintsOf(data, join(options.shared, 'data', 'taxon-constraints'));
const nodes = gunzipSync(readFileSync(join(options.shared, 'data', 'taxonomy', 'nodes.dmp.gz'))).toString();
const placeOf = new Map(data.columns.termIds.map((id, place) => [id, place]));
console.log('| calls of | method | calls | right | flagged | of these right |\n|---|---|---|---|---|---|');
for (const window of windows.filter(({ organism }) => organism in taxonOf)) {
  const opened = await openWindow(data, window);
  const broken = rules.broken(lineageOf(taxonOf[window.organism], nodes));
  const gains = gainsOf(data, opened.holdout);
  const methods = {
    combined: combined(data, opened, neighbours, {
      described: describe(opened, neighbours),
      models: readModels(options.models, foldOf(window)),
    }),
    'bare sequence': votes(opened, neighbours, {}),
  };
  for (const [method, { protein, term, score }] of Object.entries(methods)) {
    const count = { calls: 0, right: 0, flagged: 0, flaggedRight: 0 };
    protein.forEach((p, i) => {
      const gain = gains.get(`${p} ${data.graph.aspects[term[i]]}`);
      if (gain === undefined || score[i] < leastScore) return;
      const right = Number(gain.terms.has(term[i]));
      const flagged = Number(broken[placeOf.get(data.graph.termIds[term[i]])] >= 0);
      count.calls++;
      count.right += right;
      count.flagged += flagged;
      count.flaggedRight += right * flagged;
    });
    console.log(
      `| ${window.name} | ${method} | ${Object.values(count)
        .map((n) => n.toLocaleString('en'))
        .join(' | ')} |`,
    );
  }
}
