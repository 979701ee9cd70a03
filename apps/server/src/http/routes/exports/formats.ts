import {
  type ExportFormatName,
  exportColumns,
  type exportLine,
  exportWideColumns,
} from '@kindred/contracts/resources/exports';
import { certaintyOf } from '@kindred/kernels/combined';
import {
  type AnnotationFile,
  type FeatureAnnotation,
  gafHeader,
  gafLine,
  gff3Protein,
  gpadHeader,
  gpadLine,
  ontologyAspects,
  type PredictedAnnotation,
  sourceReference,
} from '@kindred/kernels/formats';
import type { z } from 'zod';
import type { AnswerTermRow } from '../../../store/predictions/answers.repository.js';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import { sixDigits, tsvLine } from '../../stream.js';
import { identityOf, presentAnswer } from '../answers/present.js';
import { cafaTable } from '../prediction-sets/tables.js';
import type { SelectedRows } from './select.js';

export type Pages = AsyncIterable<readonly SelectedRows[]>;

export interface ExportedFile extends AnnotationFile {
  /** Terms that a product is part of. */
  complexes: ReadonlySet<string>;
}

/** A format that is text; a workbook is not. */
export type TextFormat = Exclude<ExportFormatName, 'xlsx'>;

/** Texts of a file, a page of proteins each. */
export function exported(format: TextFormat, pages: Pages, file: ExportedFile): AsyncIterable<string> {
  switch (format) {
    case 'gaf':
      return byTerm(pages, gafHeader(file), (row) => gafLine(annotationOf(row), file, file.complexes));
    case 'gpad':
      return byTerm(pages, gpadHeader(file), (row) => gpadLine(annotationOf(row), file, file.complexes));
    case 'gff3':
      return byProtein(pages, gff3Header(file), (rows) =>
        gff3Protein(rows.query.protein_accession, rows.query.length, featureOf(rows, file)),
      );
    case 'tsv':
      return byTerm(pages, tsvLine(exportColumns), (row) => tsvLine(longCells(row)));
    case 'wide':
      return byProtein(pages, tsvLine(exportWideColumns), (rows) => tsvLine(wideCells(rows)));
    case 'jsonl':
      return byProtein(pages, '', (rows) => `${JSON.stringify(answerLine(rows))}\n`);
    case 'cafa':
      return cafaTable(byScore(pages));
  }
}

async function* byTerm(pages: Pages, header: string, line: (row: AnswerTermRow) => string) {
  yield* byProtein(pages, header, ({ terms }) => terms.map(line).join(''));
}

async function* byProtein(
  pages: Pages,
  header: string,
  lines: (rows: SelectedRows) => string,
): AsyncGenerator<string> {
  yield header;
  for await (const page of pages) {
    yield page.map(lines).join('');
    await yieldToEventLoop();
  }
}

async function* byScore(pages: Pages): AsyncGenerator<AnswerTermRow[]> {
  for await (const page of pages)
    yield page.flatMap(({ terms }) => terms.toSorted((a, b) => a.term_rank - b.term_rank));
}

function annotationOf(row: AnswerTermRow): PredictedAnnotation {
  return {
    accession: row.protein_accession,
    taxonId: row.query_taxonomy_id,
    goId: row.go_id,
    aspect: row.go_aspect,
    sourceKind: row.source_kind,
    sourceId: row.source_id,
    evidenceCode: row.evidence_code,
    score: row.score,
    probability: row.probability,
  };
}

function gff3Header({ header }: ExportedFile): string {
  return `##gff-version 3\n${header.map(([name, value]) => `#!${name} ${value.replaceAll(/\s+/g, ' ')}\n`).join('')}`;
}

function featureOf({ terms }: SelectedRows, { database }: ExportedFile): FeatureAnnotation {
  const sources = terms.map((row) =>
    sourceReference({ sourceKind: row.source_kind, sourceId: row.source_id }, database),
  );
  return {
    goIds: terms.map((row) => row.go_id),
    sources: [...new Set(sources.filter((source) => source !== null))],
    best: highest(terms.map(({ probability, score }) => probability ?? score)),
  };
}

function answerLine(rows: SelectedRows): z.infer<typeof exportLine> {
  const answer = presentAnswer(rows, true);
  return { ...answer, left_out: { ...answer.left_out, terms: rows.leftOut } };
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

type Cell = string | number | null;

export function longCells(row: AnswerTermRow): Cell[] {
  const cells: Record<(typeof exportColumns)[number], Cell> = {
    protein: row.protein_accession,
    go_id: row.go_id,
    go_name: row.go_name,
    aspect: row.go_aspect,
    score: sixDigits(row.score),
    probability: sixDigits(row.probability),
    probability_low: sixDigits(row.probability_low),
    probability_high: sixDigits(row.probability_high),
    certainty: certaintyOf(row.probability),
    source_kind: row.source_kind,
    source_id: row.source_id,
    evidence_code: row.evidence_code,
    identity: sixDigits(identityOf(row)),
    distance: sixDigits(row.distance),
    contradiction: row.contradiction,
    supporters: row.supporters,
    similar_proteins: row.similar_proteins,
  };
  return exportColumns.map((column) => cells[column]);
}

export function wideCells({ query, terms }: SelectedRows): Cell[] {
  const cells: Record<string, Cell> = {
    protein: query.protein_accession,
    length: query.length,
    known_as: query.known_accession,
    known_by: query.known_by,
    is_namesake: query.is_namesake ? 'yes' : 'no',
    no_answer: query.no_answer,
    term_count: terms.length,
    best_probability: sixDigits(highest(terms.map((row) => row.probability))),
  };
  for (const aspect of ontologyAspects) {
    const ours = terms.filter((row) => row.go_aspect === aspect);
    cells[`${aspect}_terms`] = ours.map((row) => row.go_id).join(';');
    cells[`${aspect}_names`] = ours.map((row) => row.go_name.replaceAll(';', ',')).join(';');
    cells[`${aspect}_probabilities`] = ours.map((row) => sixDigits(row.probability) ?? '').join(';');
  }
  return exportWideColumns.map((column) => cells[column]);
}
