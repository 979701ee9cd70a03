import { isGoId, expected } from './annotation.js';
import { quoted } from './format-error.js';
import type { TextSource } from './lines.js';
import {
  keepHeader,
  type LineReader,
  type ParsedBatch,
  readBatches,
  type ReadOptions,
} from './read-batches.js';

/** One pair of an external2go mapping: `InterPro:IPR000003 Retinoid X receptor > GO:DNA binding ; GO:0003677`. */
export interface External2GoRecord {
  line: number;
  /** The name of the database: `InterPro`, `Pfam`, `EC`, ... */
  database: string;
  /** The id in the database, such as `IPR000003`. */
  externalId: string;
  /** The name in the database; null if the database has only ids. */
  externalName: string | null;
  goName: string;
  goId: string;
}

const source = /^([^\s:]+):(\S+)(?:\s(.*))?$/;
const target = /^GO:(.*)\s;$/;

/** Splits the line at its arrow and its last word. One pattern for the whole line would try every blank with every other. */
function pairOf(line: string): { from: RegExpExecArray; goName: string; goId: string } | null {
  const arrow = /\s>\s+(?=GO:)/.exec(line);
  if (arrow === null) return null;
  const right = line.slice(arrow.index + arrow[0].length).trimEnd();
  const semicolon = right.lastIndexOf(';');
  const from = source.exec(line.slice(0, arrow.index).trimEnd());
  const to = target.exec(right.slice(0, semicolon + 1));
  const goId = right.slice(semicolon + 1).trimStart();
  return from === null || to === null || /^$|\s/.test(goId) ? null : { from, goName: to[1], goId };
}

/**
 * Reads interpro2go, pfam2go, ec2go and similar files as a stream. Lines with another format are in `rejected`.
 * @throws FormatError for a line that is too long
 */
export function readExternal2Go(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<External2GoRecord>> {
  return readBatches(source, external2GoReader, options);
}

const external2GoReader: LineReader<External2GoRecord> = {
  read(line, lineNumber, batch) {
    if (line.startsWith('!')) {
      keepHeader(line, batch.header);
      return;
    }
    if (line.trim() === '') return;
    const match = pairOf(line);
    if (match === null) {
      const reason = `expected "Database:id name > GO:name ; GO:0000000", found ${quoted(line)}`;
      batch.rejected.push({ line: lineNumber, record: null, reason });
      return;
    }
    const { from, goName, goId } = match;
    const [, database, externalId, externalName] = from;
    if (isGoId(goId))
      batch.records.push({
        line: lineNumber,
        database,
        externalId,
        externalName: externalName?.trim() || null,
        goName,
        goId,
      });
    else {
      const reason = expected('GO: and seven digits', 'after ";"', goId);
      batch.rejected.push({ line: lineNumber, record: externalId, reason });
    }
  },
};
