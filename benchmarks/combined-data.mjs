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

/** Reads a number of records that are spread evenly over a FASTA file, so that the others never take memory. */
async function fastaRecords(fasta, wanted) {
  const lines = () => createInterface({ input: createReadStream(fasta) });
  let total = 0;
  for await (const line of lines()) if (line.startsWith('>')) total++;
  const before = (i) => Math.floor((i * Math.min(wanted, total)) / total);
  const records = [];
  let at = -1;
  for await (const line of lines()) {
    if (line.startsWith('>')) at++;
    if (before(at) === before(at + 1)) continue;
    if (line.startsWith('>')) records.push({ accession: line.slice(1), sequence: '' });
    else records.at(-1).sequence += line;
  }
  return records;
}

/**
 * Reads the proteins of a FASTA file whose headers are accessions, with the terms of a table (accession, go_id, aspect). The evidence is
 * drawn: the terms of every eighth protein count as found by experiment, the others as electronic. So the data serve to measure time
 * only.
 *
 * @param {string} shared the folder of the data of training/combined
 * @param {string} fasta
 * @param {string} pairs
 * @param {{ references?: number }} [options] the number of proteins, spread evenly over the file; without it, all
 */
export async function pairedProteins(shared, fasta, pairs, { references } = {}) {
  const obo = gunzipSync(readFileSync(join(shared, 'data', 'ontology', 'go-2022-07-01.obo.gz')));
  const graph = new OntologyGraph(ontologyColumns(parseObo(obo.toString())));
  const records = await fastaRecords(fasta, references ?? Number.POSITIVE_INFINITY);
  const sequences = records.map(({ sequence }) => sequence);
  const numberOf = new Map(records.map(({ accession }, protein) => [accession, protein]));
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
