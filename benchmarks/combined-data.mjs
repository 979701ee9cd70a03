// The references for the benchmark of the default answer: the proteins of the training windows, or all of Swiss-Prot.
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { buildCombinedReference, evidenceGroups, groupTerms } from '@kindred/kernels/combined';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';
import { openWindow } from '../training/combined/window-reference.mjs';
import { openData, windows } from '../training/combined/windows.mjs';

/**
 * The distance of proteins whose annotations count as experimental: about an eighth of Swiss-Prot's proteins have some, but the pairs do
 * not say which.
 */
const experimentalEvery = 8;

/** Reads 19,724 proteins with what was known of them in 2020. */
export async function windowProteins(shared) {
  const data = openData(join(shared, 'data'));
  const { reference } = await openWindow(
    data,
    windows.find(({ name }) => name === 'ecoli-2020'),
  );
  return { sequences: data.proteins.map(({ sequence }) => sequence), graph: data.graph, reference };
}

/**
 * Reads all proteins of a FASTA file whose headers are accessions, with the terms of a table (accession, go_id, aspect). The evidence is
 * drawn: the terms of every eighth protein count as found by experiment, the others as electronic. So the data serve to measure time
 * only.
 */
export async function pairedProteins(shared, fasta, pairs) {
  const obo = gunzipSync(readFileSync(join(shared, 'data', 'ontology', 'go-2022-07-01.obo.gz')));
  const graph = new OntologyGraph(ontologyColumns(parseObo(obo.toString())));
  const sequences = [];
  const numberOf = new Map();
  for await (const line of createInterface({ input: createReadStream(fasta) })) {
    if (!line.startsWith('>')) sequences[sequences.length - 1] += line;
    else {
      numberOf.set(line.slice(1), sequences.length);
      sequences.push('');
    }
  }
  const terms = sequences.map(() => []);
  for await (const line of createInterface({ input: createReadStream(pairs) })) {
    const [accession, id] = line.split('\t', 2);
    const term = graph.liveIndexOf(id);
    if (term >= 0) terms[numberOf.get(accession)]?.push(term);
  }
  const rowsOf = (isTaken) => {
    const kept = terms.map((own, protein) => (isTaken(protein) ? own : []));
    const start = new Int32Array(kept.length + 1);
    kept.forEach((own, protein) => {
      start[protein + 1] = start[protein] + own.length;
    });
    return { start, terms: Int32Array.from(kept.flat()) };
  };
  const drawn = {
    experimental: rowsOf((protein) => protein % experimentalEvery === 0),
    signature: rowsOf((protein) => protein % experimentalEvery !== 0),
  };
  const none = { start: new Int32Array(sequences.length + 1), terms: new Int32Array(0) };
  const isRoot = Uint8Array.from({ length: graph.size }, (_, term) =>
    Number(graph.parentsOf(term).length === 0),
  );
  const annotated = groupTerms(
    evidenceGroups.map((group) => drawn[group] ?? none),
    graph.ancestorClosure(),
    isRoot,
  );
  const organism = new Int32Array(sequences.length);
  return { sequences, graph, reference: buildCombinedReference(graph, annotated, organism) };
}
