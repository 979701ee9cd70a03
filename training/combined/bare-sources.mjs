// The proteins that models of eukaryotes are learnt from and tested on, in three sources: yeast, worm and Dictyostelium from 2018 to 2020,
// human from 2018 to 2022, and GOA of seven organisms from 2014 to 2019. Each is asked as a bare sequence, or as a known protein.
import { parseFasta, readGaf } from '@kindred/kernels/formats';
import { experimentalEvidence } from '@kindred/kernels/vocabulary';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { holdoutOf, humanWindow, openData, targetsOf, windows } from './windows.mjs';

const goaOrganisms = ['human', 'mouse', 'rat', 'arabidopsis', 'zebrafish', 'fly', 'worm'];
const goaFiles = { 2014: '2014-10-12', 2019: '2019-01-14' };
/**
 * The ways in which a protein is asked, by the name of the option: the maximum number of targets of human and of each of the seven
 * organisms, the number of trees of a model, and the references beside which it is asked, with its own organism (own) or without. Only a
 * protein that has an annotation at the first date can be known.
 */
export const kinds = {
  bare: { human: Number.POSITIVE_INFINITY, goa: 2000, trees: 300, densities: ['own', 'without'] },
  known: { human: Number.POSITIVE_INFINITY, goa: 2000, trees: 300, densities: ['own'] },
};
/** Annotations with these codes are left out where With/From names one protein that is asked: they repeat what is hidden. */
const copied = new Set(['ISS', 'ISO', 'ISA', 'ISM', 'IBA', 'IEA']);

/** Returns some of the targets: those whose accessions have the lowest hashes, after the first `skipped` of them. */
function drawn({ proteins }, targets, count, skipped = 0) {
  const hash = (protein) => createHash('sha256').update(proteins[protein].accession).digest('hex');
  const ordered = [...targets]
    .map((protein) => [hash(protein), protein])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Int32Array.from(ordered.slice(skipped, skipped + count), ([, protein]) => protein).sort();
}

const unpacked = (path) => gunzipSync(readFileSync(path));

async function goaRows(path, { numberOf, graph }) {
  const rows = [];
  for await (const { records } of readGaf([unpacked(path)]))
    for (const { accession, goId, evidenceCode, dbReference, negated, withFrom } of records) {
      const protein = numberOf.get(accession);
      if (protein === undefined) continue;
      const term = graph.liveIndexOf(goId);
      const from = copied.has(evidenceCode) ? (withFrom ?? '') : '';
      rows.push({
        ...{ protein, term, evidenceCode, dbReference, negated },
        from: from.slice(from.indexOf(':') + 1),
      });
    }
  return rows;
}

/** Opens GOA of seven organisms. `asked` gets the accessions of the targets, of which no copy is read after that. */
function openGoa(folder, { columns, graph }) {
  const proteins = goaOrganisms.flatMap((organism) =>
    parseFasta(unpacked(join(folder, `${organism}.fasta.gz`)).toString()).map(({ accession, sequence }) => ({
      accession,
      sequence,
      organism,
    })),
  );
  const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
  const kept = new Map();
  const asked = new Set();
  const annotations = async (date, organism) => {
    const path = join(folder, `${organism}.${goaFiles[date]}.gaf.gz`);
    if (!kept.has(path)) kept.set(path, goaRows(path, { numberOf, graph }));
    const rows = await kept.get(path);
    return rows.filter(({ from, protein }) => !asked.has(from) || from === proteins[protein].accession);
  };
  return { columns, graph, proteins, numberOf, annotations, organisms: goaOrganisms, asked };
}

/** Returns the targets that have an annotation at the first date of a window. */
async function knownOf({ annotations }, { organism, before }, targets) {
  const rows = await annotations(before, organism);
  const known = new Set(rows.flatMap(({ protein, term, negated }) => (negated || term < 0 ? [] : [protein])));
  return targets.filter((protein) => known.has(protein));
}

const eukaryotes = windows.filter(({ organism, before }) => before === 2018 && organism !== 'ecoli');

/**
 * Opens one source after the other, because each takes much memory.
 *
 * @param kind the name of one of `kinds`
 * @param further whether to open only the next targets of the seven organisms, of which no model learns
 * @yields its name, data, and windows with their targets
 */
export async function* bareSources({ shared, goa, kind = 'bare', further = false }) {
  const folder = join(shared, 'data');
  const most = kinds[kind];
  const whole = async (data, given, count) => {
    const opened = [];
    for (const window of given) {
      const holdout = await holdoutOf(data, window);
      const all = targetsOf(holdout);
      const targets = kind === 'known' ? await knownOf(data, window, all) : all;
      opened.push({ window, holdout, targets: drawn(data, targets, count, further ? count : 0) });
    }
    return opened;
  };
  const data = openData(folder);
  if (!further) yield* older();
  async function* older() {
    yield { name: 'windows', data, opened: await whole(data, eukaryotes, Number.POSITIVE_INFINITY) };
    const human = openData(folder, { withHuman: true });
    yield { name: 'human', data: human, opened: await whole(human, [humanWindow], most.human) };
  }
  const seven = openGoa(goa, data);
  const goaWindows = goaOrganisms.map((organism) => ({
    name: `${organism}-2014`,
    organism,
    before: 2014,
    after: 2019,
    experimental: new Set(experimentalEvidence),
  }));
  const all = await whole(seven, goaWindows, most.goa);
  const opened = all.filter(({ targets }) => targets.length > 0);
  if (kind === 'bare')
    for (const { targets } of opened)
      for (const target of targets) seven.asked.add(seven.proteins[target].accession);
  yield { name: 'organisms', data: seven, opened };
}

/** The organisms that the first network left out of its training: only of their proteins are its columns honest. */
export const networkOrganisms = new Set(['yeast', 'worm', 'dicty', 'human']);
/** The groups of organisms that are left out together, by the model that leaves them out. */
export const leftOut = [
  ['yeast', 'arabidopsis'],
  ['worm', 'zebrafish'],
  ['dicty', 'fly'],
  ['mouse', 'rat'],
];
