import { type AnswerColumn, answerColumn, answerColumnsIn } from '@kindred/kernels/answer';
import { aspectsAsRead } from '@kindred/kernels/vocabulary';
import { z } from 'zod';
import { aspectQuery, booleanQuery, listQuery, wholeNumber, decimalNumber } from '../fields.js';
import { routesOf } from '../route.js';
import { proteinAnswer } from './answers.js';
import { predictionSetParams } from './prediction-sets.js';
import { slimFields } from './slims.js';

interface ExportFormat {
  mediaType: string;
  /** The extension of the file that is downloaded. */
  extension: string;
  description: string;
  /** A format of text with the same rows; absent where this one is text itself. */
  asText?: 'tsv' | 'wide';
}

/** NCBI's taxon for sequences of an unknown organism. */
const unidentifiedTaxon = 32644;

/** The formats in which a prediction set is written as a file. */
export const exportFormats = {
  gaf: {
    mediaType: 'text/plain',
    extension: 'gaf',
    description:
      'GAF 2.2, for programs of the Gene Ontology: known annotations as they are, then a line for each term that is predicted beyond them',
  },
  gpad: {
    mediaType: 'text/plain',
    extension: 'gpad',
    description: 'GPAD 2.0, the same with score and probability',
  },
  gff3: {
    mediaType: 'text/x-gff3',
    extension: 'gff3',
    description: 'GFF3, one record a protein with its terms and their sources',
  },
  tsv: {
    mediaType: 'text/tab-separated-values',
    extension: 'tsv',
    description: 'A table with one line a protein and term, what is known first',
  },
  wide: {
    mediaType: 'text/tab-separated-values',
    extension: 'tsv',
    description: 'A table with one line a protein',
  },
  xlsx: {
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    description:
      'A workbook with a sheet of proteins, one of terms, and one that says what they were made from',
    asText: 'tsv',
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    description: 'Parquet with the rows and columns of tsv, for pandas, DuckDB, Polars and R',
    asText: 'tsv',
  },
  parquet_wide: {
    mediaType: 'application/vnd.apache.parquet',
    extension: 'wide.parquet',
    description: 'Parquet with one row a protein, its terms of each aspect as a list',
    asText: 'wide',
  },
  jsonl: {
    mediaType: 'application/jsonl',
    extension: 'jsonl',
    description: 'JSON Lines: the answer for a protein in each line, by docs/reference/answer.schema.json',
  },
  cafa: {
    mediaType: 'text/tab-separated-values',
    extension: 'cafa.tsv',
    description:
      'Protein, term and score without a header, at most 1,500 terms a protein: a submission to CAFA and to LAFA',
  },
  topgo: {
    mediaType: 'text/tab-separated-values',
    extension: 'topgo.tsv',
    description: 'A line a protein with its terms joined by ", ": for readMappings of topGO',
  },
  goatools: {
    mediaType: 'text/tab-separated-values',
    extension: 'id2gos.tsv',
    description: 'A line a protein with its terms joined by ";": associations for goatools',
  },
  term2gene: {
    mediaType: 'text/tab-separated-values',
    extension: 'term2gene.tsv',
    description:
      'A line a term and protein, implied terms included: TERM2GENE of clusterProfiler, gene2cat of goseq',
  },
  term2name: {
    mediaType: 'text/tab-separated-values',
    extension: 'term2name.tsv',
    description: 'The names of the terms of term2gene: TERM2NAME of clusterProfiler',
  },
  turtle: {
    mediaType: 'text/turtle',
    extension: 'ttl',
    description:
      'RDF as Turtle, for SPARQL: the terms of each protein, and an association for each annotation and prediction',
  },
} as const satisfies Record<string, ExportFormat>;
export type ExportFormatName = keyof typeof exportFormats;
/** The formats that are not text. */
export type BinaryFormatName = {
  [Name in ExportFormatName]: (typeof exportFormats)[Name] extends { asText: string } ? Name : never;
}[ExportFormatName];
export function isBinaryFormat(name: ExportFormatName): name is BinaryFormatName {
  return 'asText' in exportFormats[name];
}
/** Gives the format of text with the same rows; a format of text is that itself. */
export function textFormatOf(name: ExportFormatName): ExportFormatName {
  return isBinaryFormat(name) ? exportFormats[name].asText : name;
}
export const exportFormatNames = Object.keys(exportFormats) as [ExportFormatName, ...ExportFormatName[]];

const share = (description: string) =>
  decimalNumber(z.number().min(0).max(1)).optional().meta({ description });

/** The filters of an export; all that are given must hold. */
export const exportFilters = z.strictObject({
  min_probability: share('Only terms of at least this probability; leaves out terms without one'),
  min_score: share('Only terms of at least this score'),
  min_ic: decimalNumber(z.number().min(0).max(64)).optional().meta({
    description:
      'Only terms of at least this information content, in bits, known and predicted: of n proteins with the aspect in the annotation set, at most n / 2^bits have the term. Of a set with several references, in the first one',
  }),
  aspect: aspectQuery,
  evidence: listQuery(
    z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{2,3}$/, 'expected evidence codes such as IDA,IMP'),
    50,
  )
    .optional()
    .meta({
      description:
        'Only terms whose source has one of these evidence codes, joined by commas, such as IDA,IMP',
    }),
  all: booleanQuery.optional().meta({
    description: 'Also the terms below the end of the answer. Default false',
  }),
  specific: booleanQuery.optional().meta({
    description: 'Without terms that another term of the protein implies. Default false',
  }),
  contradicted: booleanQuery.optional().meta({
    description: 'Also terms that a taxon constraint or a NOT annotation contradicts. Default false',
  }),
});

export const exportQuery = exportFilters.extend({
  ...slimFields,
  format: z.enum(exportFormatNames).meta({
    description: Object.entries(exportFormats)
      .map(([name, { description }]) => `${name}: ${description}`)
      .join('. '),
  }),
  database: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,39}$/, 'expected a letter, then letters, digits, "_", "." or "-"')
    .default('local')
    .meta({
      description: 'GAF, GPAD and GFF3: database of accessions that do not have the form of UniProtKB',
    }),
  taxon: wholeNumber(z.int().min(1).max(2_147_483_647).default(unidentifiedTaxon)).meta({
    description: 'GAF: NCBI taxon of proteins without one',
  }),
});

/** One line of JSON Lines. */
export const exportLine = proteinAnswer;

/** The columns of the table with one line for each term, in order. */
export const exportColumns = answerColumnsIn('table');

/** The lists of terms in the table with one line for each protein: the fields of the terms of each aspect. */
export const exportLists = aspectsAsRead.flatMap((aspect) =>
  answerColumnsIn('wide').map((field) => ({
    name: `${aspect}_${answerColumn(field).plural ?? field}`,
    aspect,
    field,
  })),
);

/** The columns of the table with one line for each protein that are of the protein itself, with their types. */
export const exportProteinColumns = {
  protein: 'text',
  length: 'integer',
  known_as: 'text',
  known_by: 'text',
  protein_name: 'text',
  gene_name: 'text',
  predicted_name: 'text',
  predicted_name_sources: 'text',
  is_namesake: 'flag',
  no_answer: 'text',
  is_sequence_only: 'flag',
  term_count: 'integer',
  ec_numbers: 'text',
  best_probability: 'number',
} as const satisfies Record<string, AnswerColumn['type']>;

/** The columns of the table with one line for each protein, in order. Lists of terms are joined by ";", the best first. */
export const exportWideColumns = [
  ...Object.keys(exportProteinColumns),
  ...exportLists.map(({ name }) => name),
];

export interface MethodReference {
  id: string;
  title: string;
  text: string;
}

/**
 * The references of the methods for column 6 of GAF, in the way in which the Gene Ontology has GO_REF numbers. The numbers never change
 * their meaning; docs/reference/method-references.md is made from this list.
 */
export const methodReferences: Readonly<Record<string, MethodReference>> = {
  combined: {
    id: 'KINDRED_REF:0000001',
    title: 'Votes of similar proteins, own annotations and a trained model, with probabilities',
    text: 'Annotations of similar proteins, found by alignment and by distance of embeddings, vote for a term; where the reference knows the protein, its own annotations and a trained combination add to it. The probability is measured on annotations of later releases: how often experiments showed such a term, or, where the reference has annotations without recorded evidence, how often the databases held it. With/From names the best source of the term.',
  },
  knn: {
    id: 'KINDRED_REF:0000002',
    title: 'Transfer from the nearest neighbours in the space of embeddings',
    text: 'The terms of the nearest annotated proteins are transferred; the score of a term is 1 - distance / 2 of its nearest source. With/From names that source.',
  },
  weighted_votes: {
    id: 'KINDRED_REF:0000003',
    title: 'Weighted votes of the nearest neighbours',
    text: 'The nearest neighbours vote for their terms, weighted by alignment or by distance, and shrunk toward the frequency of each term. With/From names the nearest source.',
  },
  interpro: {
    id: 'KINDRED_REF:0000004',
    title: 'Terms of InterPro entries by interpro2go',
    text: 'A protein with a match of an InterPro entry gets the terms that interpro2go lists for the entry. With/From names the entry.',
  },
  naive: {
    id: 'KINDRED_REF:0000005',
    title: 'Frequency of terms',
    text: 'Every protein gets each term with its frequency in the annotation set: a baseline for comparison, no annotation.',
  },
  sequence_similarity: {
    id: 'KINDRED_REF:0000006',
    title: 'Terms of the best local alignments',
    text: 'The terms of the proteins with the best local alignments, scored by identity or by normalised score: a baseline for comparison. With/From names the best of them.',
  },
  non_experimental_annotations: {
    id: 'KINDRED_REF:0000007',
    title: 'Own annotations without an experiment',
    text: 'The annotations of the protein itself without an experiment: a baseline for comparison.',
  },
  runner: {
    id: 'KINDRED_REF:0000008',
    title: 'Terms of the nearest neighbours, scored by a runner; not calibrated',
    text: 'A plugin (a runner), which the method names with its version, turns the nearest annotated proteins in the space of embeddings into scored terms. With/From names the neighbour that gave the term, where one did. The scores are not calibrated.',
  },
};

/** The reference of those annotations of a protein itself that name none, because column 6 of GAF must not be empty. */
export const ownAnnotationReference: MethodReference = {
  id: 'KINDRED_REF:0000009',
  title: 'Annotation of the protein itself without a reference',
  text: 'The annotation set of the reference has this annotation of the protein itself, and names neither a paper nor a rule for it. It is no prediction; its evidence code is that of the set.',
};

/** The reference of terms that the method `combined` predicts without a similar protein. */
export const sequenceAloneReference: MethodReference = {
  id: 'KINDRED_REF:0000010',
  title: 'Terms from the sequence alone, without a similar protein',
  text: 'No protein of the reference is similar to the sequence. A network that learned from the sequences and terms of Swiss-Prot 2014 and GOA 2019 gives terms of process and component, moved to their frequencies in the reference; sequences that it cannot tell from noise get none. The probability says how often Swiss-Prot held such terms for proteins of families that the network never saw.',
};

/** Returns the reference of a method: that of runners for each runner except knn. */
export function methodReference(method: string): MethodReference {
  return methodReferences[method] ?? (methodReferences.runner as MethodReference);
}

/** Writes the method of a prediction set as people cite it: a runner with its version. */
export function methodText({
  method,
  runner,
}: {
  method: string;
  runner: { version: string } | null;
}): string {
  return runner === null ? method : `${method} ${runner.version}`;
}

const text = { schema: z.string() };

export const exportRoutes = routesOf('embeddings', {
  export: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/export',
    floor: 'viewer',
    refuses: [409],
    summary:
      'A prediction set as GAF, GPAD, GFF3, tables, a workbook, Parquet, JSON Lines, a submission, or for a test of enrichment, filtered',
    params: predictionSetParams,
    query: exportQuery,
    reply: {
      200: {
        description: 'Streamed, gzip where accepted',
        content: Object.fromEntries(Object.values(exportFormats).map(({ mediaType }) => [mediaType, text])),
      },
    },
  },
});
