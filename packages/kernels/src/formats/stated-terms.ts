import { expected, isGoId } from './annotation.js';
import { FormatError } from './format-error.js';
import { interProScanGff3, interProScanTable, readInterProScanJson } from './interproscan-terms.js';
import type { TextSource } from './lines.js';
import { type LineReader, type ParsedBatch, readBatches, type ReadOptions } from './read-batches.js';
import { addTerms, isMd5, isNothing, type StatedTerm } from './stated-term.js';

/** The files of other programs that state GO terms of proteins. */
export const statedTermFormats = [
  'emapper',
  'interproscan',
  'interproscan_gff3',
  'interproscan_json',
  'cafa',
] as const;
export type StatedTermFormat = (typeof statedTermFormats)[number];

const emapperHeading = /^#query(?:_name)?\t/;
const cafaHeader = /^(?:AUTHOR|MODEL|KEYWORDS|ACCURACY)\b/;

/**
 * Detects the format from one line; null if the line (a comment, a blank line) does not show it. eggNOG-mapper's table has a heading that
 * begins with `#query`, InterProScan's has an MD5 in the second column (its GFF3 says so at the top, its JSON begins with a bracket), and
 * a prediction file of CAFA has its headers or three columns.
 */
export function detectStatedTermFormat(line: string): StatedTermFormat | null {
  if (emapperHeading.test(line)) return 'emapper';
  if (/^##(?:gff-version|interproscan-version)\b/.test(line)) return 'interproscan_gff3';
  if (/^\s*[[{]/.test(line)) return 'interproscan_json';
  if (line.startsWith('#') || line.trim() === '') return null;
  if (isMd5(line.split('\t')[1])) return 'interproscan';
  return cafaHeader.test(line) || isGoId(line.trim().split(/\s+/)[1] ?? '') ? 'cafa' : null;
}

/**
 * Reads the terms that another program states. A protein may repeat, and a term of it, too. Lines of another form are in `rejected`;
 * lines that state no GO term (a protein without one, a term of another ontology) count in `skipped`. Cost: O(bytes).
 *
 * @throws FormatError for a line that is too long, a table of eggNOG-mapper without its heading, and what is no JSON of InterProScan
 */
export function readStatedTerms(
  source: TextSource,
  format: StatedTermFormat,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<StatedTerm>> {
  if (format === 'interproscan_json') return readInterProScanJson(source);
  const readers = {
    emapper: emapperReader,
    interproscan: interProScanTable,
    interproscan_gff3: interProScanGff3,
    cafa: cafaReader,
  };
  return readBatches(source, readers[format](), options);
}

/** Reads `.emapper.annotations`, whose columns have had several orders and names: the heading says where they are. */
function emapperReader(): LineReader<StatedTerm> {
  let at: { terms: number; ortholog: number; eValue: number } | null = null;
  return {
    read(line, lineNumber, batch) {
      if (emapperHeading.test(line)) {
        const names = line.split('\t').map((name) => name.trim());
        const place = (...any: string[]) => names.findIndex((name) => any.includes(name));
        const terms = place('GOs', 'GO_terms');
        at = {
          terms,
          ortholog: place('seed_ortholog', 'seed_eggNOG_ortholog'),
          eValue: place('evalue', 'seed_ortholog_evalue'),
        };
        if (terms < 0)
          fail(
            lineNumber,
            'the heading of eggNOG-mapper has no column GOs; give the file .emapper.annotations',
          );
        return;
      }
      if (line.startsWith('#') || line.trim() === '') return;
      if (at === null)
        fail(
          lineNumber,
          'a line of eggNOG-mapper comes before the heading that begins with #query; give the file as it was written',
        );
      const { terms, ortholog, eValue } = at as NonNullable<typeof at>;
      const columns = line.split('\t');
      const protein = columns[0].trim();
      if (protein === '' || columns.length <= terms) {
        const reason = `expected a protein and at least ${terms + 1} columns, found ${columns.length}`;
        batch.rejected.push({ line: lineNumber, record: protein || null, reason });
        return;
      }
      const seed = isNothing(columns[ortholog]) ? null : columns[ortholog].trim();
      const basis =
        seed === null || isNothing(columns[eValue]) ? seed : `${seed} (E-value ${columns[eValue].trim()})`;
      addTerms(
        { line: lineNumber, protein, score: null, basis, ids: columns[terms].split(/[,|]/) },
        batch,
        `column ${terms + 1}`,
      );
    },
  };
}

function fail(line: number, reason: string): never {
  throw new FormatError({ line, record: null, reason });
}

/** Reads a prediction file of CAFA, with or without its headers; lines behind END are none of it. */
function cafaReader(): LineReader<StatedTerm> {
  let hasEnded = false;
  return {
    read(line, lineNumber, batch) {
      const text = line.trim();
      if (hasEnded || text === '' || text.startsWith('#') || cafaHeader.test(text)) return;
      if (text === 'END') {
        hasEnded = true;
        return;
      }
      const [protein, goId, score, ...more] = text.split(/\s+/);
      const reject = (reason: string) => batch.rejected.push({ line: lineNumber, record: protein, reason });
      if (/^(?:HP:\d{7}|Text)$/.test(goId ?? '')) {
        batch.skipped++;
        return;
      }
      const value = score === undefined ? Number.NaN : Number(score);
      if (score === undefined || more.length > 0) reject('expected a protein, a term and a score');
      else if (!isGoId(goId)) reject(expected('GO: and seven digits', 'column 2', goId));
      else if (!(value > 0 && value <= 1))
        reject(expected('a score above 0 and at most 1', 'column 3', score));
      else batch.records.push({ line: lineNumber, protein, goId, score: value, basis: null });
    },
  };
}
