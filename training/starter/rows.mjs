// The ontology of the starter reference, and rows of files of annotations as propagated terms of proteins.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assertedTerms } from '@kindred/kernels/holdout';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { examples } from './sample.mjs';

export const organisms = ['human', 'mouse', 'rat', 'arabidopsis', 'zebrafish', 'fly', 'worm'];
const obo = gunzipSync(readFileSync(join(examples, 'go-basic-2022-07-01.obo.gz'))).toString();
export const graph = new OntologyGraph(ontologyColumns(parseObo(obo)));
const isRoot = Uint8Array.from({ length: graph.size }, (_, term) =>
  Number(graph.parentsOf(term).length === 0),
);

export async function rowsOf(batches) {
  const rows = [];
  for await (const { records } of batches) for (const row of records) rows.push(row);
  return rows;
}

/** Propagated terms of each protein by what is asserted, without what a NOT denies and without roots. */
export function truthOf(count, { protein, term, negated }) {
  const { rows } = assertedTerms(graph, count, {
    protein: Int32Array.from(protein),
    term: Int32Array.from(term),
    negated: Uint8Array.from(negated),
  });
  const closure = graph.ancestorClosure();
  return Array.from({ length: count }, (_, p) => {
    const all = new Set();
    for (let at = rows.start[p]; at < rows.start[p + 1]; at++)
      for (let c = closure.start[rows.terms[at]]; c < closure.start[rows.terms[at] + 1]; c++)
        if (isRoot[closure.terms[c]] === 0) all.add(closure.terms[c]);
    return all;
  });
}
