import { isEcoId, isEvidenceCode } from './annotation.js';
import type { Rejection } from './format-error.js';
import { splitLines } from './lines.js';

export interface EcoMapping {
  /** The GO evidence code of each ECO id. */
  codeOf: Map<string, string>;
  /** Lines without an ECO id and a code, and lines that contradict an earlier line. The earlier line counts. */
  rejected: Rejection[];
}

/**
 * Reads a mapping of ECO ids to GO evidence codes: `ECO:0000314 IDA`, or the columns of gaf-eco-mapping.txt (`IDA Default ECO:0000314`,
 * also with a GO_REF in the middle) and gaf-eco-mapping-derived.txt (id first). Columns are separated by white space; `#` and `!` start
 * comments. A `Default` line wins over a line for a GO_REF.
 *
 * @throws FormatError for a line that is too long
 */
export function parseEcoMapping(source: string | Uint8Array | Iterable<Uint8Array>): EcoMapping {
  const codeOf = new Map<string, string>();
  const forReference = new Map<string, string>();
  const rejected: Rejection[] = [];
  splitLines(source).forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#') || line.startsWith('!')) return;
    const columns = line.trim().split(/\s+/);
    const id = columns.find(isEcoId);
    const code = columns.find(isEvidenceCode);
    if (id === undefined || code === undefined) {
      const reason =
        'expected an ECO id (ECO: and seven digits) and an evidence code of two or three capitals';
      rejected.push({ line: i + 1, record: id ?? null, reason });
      return;
    }
    const target = columns.some((column) => column.startsWith('GO_REF:')) ? forReference : codeOf;
    const earlier = target.get(id);
    if (earlier === undefined) target.set(id, code);
    else if (earlier !== code) {
      rejected.push({
        line: i + 1,
        record: id,
        reason: `${id} is mapped to ${earlier} above and to ${code} here`,
      });
    }
  });
  for (const [id, code] of forReference) if (!codeOf.has(id)) codeOf.set(id, code);
  return { codeOf, rejected };
}
