import {
  type ExportFormatName,
  exportColumns,
  type exportLine,
  exportLists,
  exportWideColumns,
} from '@kindred/contracts/resources/exports';
import {
  answerColumn,
  type AnswerColumnName,
  type AnswerLine,
  answerLine,
  predictedValue,
} from '@kindred/kernels/answer';
import {
  type AnnotationFile,
  type FeatureAnnotation,
  gafHeader,
  gafLine,
  gff3Protein,
  gpadHeader,
  gpadLine,
  type PredictedAnnotation,
  sourceReference,
} from '@kindred/kernels/formats';
import type { z } from 'zod';
import type { AnswerTermRow } from '../../../store/predictions/answers.repository.js';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import { sixDigits, tsvLine } from '../../stream.js';
import { presentAnswer } from '../answers/present.js';
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
      return byProtein(pages, tsvLine(exportColumns), (rows) =>
        tableLines(rows)
          .map((line) => tsvLine(lineCells(line)))
          .join(''),
      );
    case 'wide':
      return byProtein(pages, tsvLine(exportWideColumns), (rows) => tsvLine(wideCells(rows)));
    case 'jsonl':
      return byProtein(pages, '', (rows) => `${JSON.stringify(jsonLine(rows))}\n`);
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

function jsonLine(rows: SelectedRows): z.infer<typeof exportLine> {
  const answer = presentAnswer(rows, true);
  return { ...answer, left_out: { ...answer.left_out, terms: rows.leftOut } };
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

type Cell = string | number | null;
type Value = AnswerLine[keyof AnswerLine];

/** The lines of a protein in the table: what is known of it, then what is predicted, or one that says that there is neither. */
export function tableLines({ query, known, terms, leftOut }: SelectedRows): AnswerLine[] {
  const protein = {
    protein: query.protein_accession,
    no_answer: query.no_answer,
    is_namesake: query.is_namesake,
    left_out: leftOut,
  };
  const lines = [
    ...(known?.terms ?? []).map((one) => answerLine({ kind: 'known', protein, known: one })),
    ...terms.map((row) => answerLine({ kind: 'predicted', protein, row })),
  ];
  return lines.length === 0 ? [answerLine({ kind: 'no_answer', protein })] : lines;
}

/** The cells of a line: numbers in six digits, flags as yes and no. */
export function lineCells(line: AnswerLine): Cell[] {
  return exportColumns.map((name) => cellOf(name, line[name]));
}

function cellOf(name: AnswerColumnName, value: Value): Cell {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return answerColumn(name).type === 'number' ? sixDigits(value as number | null) : value;
}

export function wideCells({ query, terms }: SelectedRows): Cell[] {
  return [
    query.protein_accession,
    query.length,
    query.known_accession,
    query.known_by,
    query.is_namesake ? 'yes' : 'no',
    query.no_answer,
    terms.length,
    sixDigits(highest(terms.map((row) => row.probability))),
    ...exportLists.map(({ aspect, field }) =>
      terms
        .filter((row) => row.go_aspect === aspect)
        .map((row) => String(cellOf(field, predictedValue(field, row, 0)) ?? '').replaceAll(';', ','))
        .join(';'),
    ),
  ];
}
