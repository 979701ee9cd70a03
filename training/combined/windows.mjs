// The temporal windows that the combination is trained and tested on: proteins, annotations of both dates, and terms gained in between.
// The data are described in shared/data/windows-2018-2020, ecoli-k12 and yeast; none of them is part of the repository.
import { aspects, categories, evidenceGroups, experimentalEvidence } from '@kindred/kernels/vocabulary';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseFasta, readGaf } from '@kindred/kernels/formats';
import { temporalHoldout } from '@kindred/kernels/holdout';
import { ontologyColumns, OntologyGraph, parseObo } from '@kindred/kernels/ontology';

export { aspects, categories };

export const files = {
  obo: 'ontology/go-2022-07-01.obo.gz',
  fasta: {
    yeast: 'yeast/yeast_swissprot_2025-10-27.fasta.gz',
    worm: 'windows-2018-2020/worm.fasta.gz',
    dicty: 'windows-2018-2020/dicty.fasta.gz',
    ecoli: 'ecoli-k12/UP000000625_83333.fasta.gz',
    rice: 'windows-2018-2020/rice.fasta.gz',
  },
  gaf: {
    2018: {
      yeast: 'windows-2018-2020/yeast.2018-11-08.gaf.gz',
      worm: 'windows-2018-2020/worm.2018-11-08.gaf.gz',
      dicty: 'windows-2018-2020/dicty.2018-11-08.gaf.gz',
      ecoli: 'windows-2018-2020/ecoli.2018-11-08.gaf.gz',
    },
    2020: {
      yeast: 'yeast/71242.S_cerevisiae_ATCC_204508.2020-03-03.gaf.gz',
      worm: 'windows-2018-2020/worm.2020-03-03.gaf.gz',
      dicty: 'windows-2018-2020/dicty.2020-03-03.gaf.gz',
      ecoli: 'ecoli-k12/18.E_coli_MG1655.2020-03-03.gaf.gz',
      rice: 'windows-2018-2020/rice.2020-03-03.gaf.gz',
    },
    2022: { ecoli: 'ecoli-k12/18.E_coli_MG1655.2022-11-12.gaf.gz' },
  },
};

/** The files of the test on human, of which nothing takes part in training. */
const humanFiles = {
  fasta: 'human-2018-2022/human.fasta.gz',
  gaf: {
    2018: 'human-2018-2022/human.2018-11-08.gaf.gz',
    2022: 'human-2018-2022/human.2022-09-12.gaf.gz',
  },
};

/** The superkingdom of each organism, because a calibration names those that it was fitted on. */
export const kingdomOf = {
  yeast: 'Eukaryota',
  worm: 'Eukaryota',
  dicty: 'Eukaryota',
  ecoli: 'Bacteria',
  rice: 'Eukaryota',
  human: 'Eukaryota',
};

/** The codes of the annotations of 2018 (with EXP for all of them), because the other side of their windows must not have more. */
const sixCodes = new Set(evidenceGroups.experimental);
const allCodes = new Set(experimentalEvidence);

export const windows = [
  ...['yeast', 'worm', 'dicty', 'ecoli'].map((organism) => ({
    name: `${organism}-2018`,
    organism,
    before: 2018,
    after: 2020,
    experimental: sixCodes,
  })),
  { name: 'ecoli-2020', organism: 'ecoli', before: 2020, after: 2022, experimental: allCodes },
];

/** The window of human, which tests the shipped models, because they saw no protein of human. */
export const humanWindow = {
  name: 'human-2018',
  organism: 'human',
  before: 2018,
  after: 2022,
  experimental: sixCodes,
};

/** Returns the models that may be tested on a window: they have seen neither its organism nor a later date. */
export const foldOf = ({ organism, before }) => (before === 2018 ? organism : `${organism}-${before}`);

/** The tables of accuracy; the windows of each begin at one date. */
export const tables = [
  {
    name: 'four-organisms',
    title: 'Four organisms, November 2018 to March 2020, each with a model of the other three',
    before: 2018,
  },
  {
    name: 'ecoli-2020',
    title: 'E. coli, March 2020 to November 2022, with a model of the other organisms until March 2020',
    before: 2020,
    golden: true,
  },
];

/**
 * Reads everything that the windows share, once: the proteins of all organisms in one list, the ontology, and readers of annotations.
 *
 * @param withHuman whether to read those of human, too, which no window of the training has
 */
export function openData(folder, { withHuman = false } = {}) {
  const fasta = withHuman ? { ...files.fasta, human: humanFiles.fasta } : files.fasta;
  const bytes = (path) => gunzipSync(readFileSync(join(folder, path)));
  const columns = ontologyColumns(parseObo(bytes(files.obo).toString()));
  const graph = new OntologyGraph(columns);
  const proteins = Object.entries(fasta).flatMap(([organism, path]) =>
    parseFasta(bytes(path)).map(({ accession, sequence }) => ({ accession, sequence, organism })),
  );
  const numberOf = new Map(proteins.map(({ accession }, number) => [accession, number]));
  const read = async (date, organism) => {
    const path = organism === 'human' ? humanFiles.gaf[date] : files.gaf[date][organism];
    if (path === undefined) return [];
    const rows = [];
    for await (const { records } of readGaf([bytes(path)]))
      for (const row of records) {
        const protein = numberOf.get(row.accession);
        if (protein === undefined) continue;
        const { goId, evidenceCode, dbReference, negated } = row;
        rows.push({ protein, term: graph.liveIndexOf(goId), evidenceCode, dbReference, negated });
      }
    return rows;
  };
  const kept = new Map();
  /** Returns annotations of one date and organism whose protein has a sequence here. Each file is read once. */
  const annotations = (date, organism) => {
    const key = `${date} ${organism}`;
    if (!kept.has(key)) kept.set(key, read(date, organism));
    return kept.get(key);
  };
  const organisms = Object.keys(fasta);
  return { folder, columns, graph, proteins, numberOf, annotations, organisms };
}

/**
 * Returns the truth of a window: the terms that its proteins gained, by category, and those they had before (experimental, propagated).
 */
export async function holdoutOf({ graph, proteins, annotations }, { organism, before, after, experimental }) {
  const dated = async (date) => {
    const rows = await annotations(date, organism);
    const used = rows.filter(({ evidenceCode, negated }) => negated || experimental.has(evidenceCode));
    return {
      protein: Int32Array.from(used, (row) => row.protein),
      term: Int32Array.from(used, (row) => row.term),
      negated: Uint8Array.from(used, (row) => Number(row.negated)),
    };
  };
  const uninformative = new Set(['GO:0005515', 'GO:0005488'].map((id) => graph.indexOf(id)));
  const input = { graph, proteinCount: proteins.length, uninformative };
  return temporalHoldout({ ...input, before: await dated(before), after: await dated(after) });
}

export function targetsOf(holdout) {
  const all = new Set(categories.flatMap((category) => [...holdout.truth[category].protein]));
  return Int32Array.from(all).sort();
}

/** Returns the SHA-256 of every input file, for the provenance of derived files. */
export function inputDigests(folder) {
  const paths = [
    files.obo,
    ...Object.values(files.fasta),
    ...Object.values(files.gaf).flatMap(Object.values),
  ];
  const digest = (path) =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(paths.sort().map((path) => [path, digest(path)]));
}
