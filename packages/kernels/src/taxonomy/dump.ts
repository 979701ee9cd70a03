import type { Rejection } from '../formats/format-error.js';
import { quoted } from '../formats/format-error.js';
import type { TextSource } from '../formats/lines.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from '../formats/read-batches.js';

/** One line of nodes.dmp. The root is its own parent. */
export interface TaxonNode {
  id: number;
  parentId: number;
  /** The rank, such as species, genus or no rank. */
  rank: string;
  /** The line of the file, from 1. */
  line: number;
}
export interface TaxonName {
  id: number;
  name: string;
  line: number;
}
/** One line of merged.dmp: a taxon that was merged into another. */
export interface MergedTaxon {
  oldId: number;
  newId: number;
  line: number;
}

const separator = '\t|\t';
const lineEnd = '\t|';
const maxTaxonId = 2 ** 31 - 1;

/**
 * Reads nodes.dmp of NCBI's taxonomy dump. Fields are separated by tab, bar, tab. The first three are id, parent and rank; the others are
 * ignored. A line that cannot be read is in `rejected` with its number. The cost is one pass. @cite Schoch2020Taxonomy
 */
export function readTaxonNodes(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<TaxonNode>> {
  return readBatches(
    source,
    dumpReader<TaxonNode>(3, 'taxon | parent | rank', ([id, parent, rank], line, batch) => {
      if (rank === '') reject(batch, line, id, 'the rank (third field) is empty');
      else batch.records.push({ id: Number(id), parentId: Number(parent), rank, line });
    }),
    options,
  );
}

/** Reads the scientific names of names.dmp. Lines with other classes of names (synonym, common name, ...) count as `skipped`. */
export function readTaxonNames(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<TaxonName>> {
  return readBatches(
    source,
    dumpReader<TaxonName>(4, 'taxon | name | unique name | class', ([id, name, , nameClass], line, batch) => {
      if (nameClass !== 'scientific name') batch.skipped++;
      else if (name === '') reject(batch, line, id, 'the name (second field) is empty');
      else batch.records.push({ id: Number(id), name, line });
    }),
    options,
  );
}

/** Reads merged.dmp: former ids and their current taxa. */
export function readMergedTaxa(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<MergedTaxon>> {
  return readBatches(
    source,
    dumpReader<MergedTaxon>(2, 'former taxon | taxon', ([oldId, newId], line, batch) => {
      batch.records.push({ oldId: Number(oldId), newId: Number(newId), line });
    }),
    options,
  );
}

type Keep<T> = (fields: string[], line: number, batch: ParsedBatch<T>) => void;

/** Makes a reader that splits lines into their first `count` fields. The first is a taxon id, and in some layouts also the second. */
function dumpReader<T>(count: number, layout: string, keep: Keep<T>): LineReader<T> {
  const taxonFields = layout.split(' | ').filter((field) => /taxon|parent/.test(field)).length;
  return {
    read(line, lineNumber, batch) {
      if (line === '') return;
      const fields = firstFields(line, count);
      if (fields === null) {
        const reason = `expected ${layout}, fields between tab, bar, tab, found ${quoted(line)}`;
        return reject(batch, lineNumber, null, reason);
      }
      for (let i = 0; i < taxonFields; i++) {
        if (isTaxonId(fields[i])) continue;
        const reason = `expected a taxon id (1 to ${maxTaxonId}) as field ${i + 1}, found ${quoted(fields[i])}`;
        return reject(batch, lineNumber, null, reason);
      }
      keep(fields, lineNumber, batch);
    },
  };
}

/** Returns the fields before the `count`-th separator or the end of the line; null if there are fewer. */
function firstFields(line: string, count: number): string[] | null {
  const fields: string[] = [];
  let start = 0;
  while (fields.length < count) {
    const end = line.indexOf(separator, start);
    if (end >= 0) {
      fields.push(line.slice(start, end));
      start = end + separator.length;
    } else {
      if (!line.endsWith(lineEnd) || line.length - lineEnd.length < start) return null;
      fields.push(line.slice(start, -lineEnd.length));
      break;
    }
  }
  return fields.length === count ? fields : null;
}

function isTaxonId(text: string): boolean {
  return /^[0-9]{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= maxTaxonId;
}

function reject(batch: { rejected: Rejection[] }, line: number, record: string | null, reason: string): void {
  batch.rejected.push({ line, record, reason });
}
