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
  /** `InterPro`, `Pfam`, `EC`, ... */
  database: string;
  /** `IPR000003` */
  externalId: string;
  /** null if the database has only ids. */
  externalName: string | null;
  goName: string;
  goId: string;
}

const pair = /^([^\s:]+):(\S+)(?:\s+(.*?))?\s+>\s+GO:(.*)\s;\s*(\S+)\s*$/;

/**
 * Reads interpro2go, pfam2go, ec2go and similar files as a stream. Lines with another format are in `rejected`.
 * @throws FormatError line too long
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
    const match = pair.exec(line);
    if (match === null) {
      const reason = `expected "Database:id name > GO:name ; GO:0000000", found ${quoted(line)}`;
      batch.rejected.push({ line: lineNumber, record: null, reason });
    } else if (!isGoId(match[5])) {
      const reason = expected('GO: and seven digits', 'after ";"', match[5]);
      batch.rejected.push({ line: lineNumber, record: match[2], reason });
    } else {
      batch.records.push({
        line: lineNumber,
        database: match[1],
        externalId: match[2],
        externalName: match[3] || null,
        goName: match[4],
        goId: match[5],
      });
    }
  },
};
