import { basename } from 'node:path';
import type { RecordSource } from '@kindred/contracts';
import type { ReferenceSource } from '../../store/references/references.repository.js';

type AnnotationSource = Required<Pick<RecordSource, 'annotations'>>;

export interface JoinedCounts {
  /** Lines with annotations are counted here, unreadable ones included. */
  rows: number;
  /** The choice of evidence leaves out this number of rows of known proteins. */
  other_evidence: number;
  unreadable: number;
}

/** Messages call a source by this name. */
export function nameOfSource(source: ReferenceSource): string {
  return source.file_name ?? basename(new URL(source.url).pathname);
}

/**
 * Reads several annotation files as one source, in their order. `chosen` limits the rows to these evidence
 * codes. An error message names the file of a bad line.
 */
export function joinedAnnotations(
  source: AnnotationSource,
  files: readonly ReferenceSource[],
  chosen: ReadonlySet<string> | null,
): AnnotationSource & { counts: JoinedCounts[] } {
  const counts = files.map(() => ({ rows: 0, other_evidence: 0, unreadable: 0 }));
  return {
    counts,
    async *annotations(parameters, context) {
      let before = 0;
      for (const [index, file] of files.entries()) {
        const count = counts[index];
        let seen = 0;
        for await (const batch of source.annotations({ ...parameters, gaf_url: file.url }, context)) {
          const records =
            chosen === null ? batch.records : batch.records.filter((row) => chosen.has(row.evidenceCode));
          seen = batch.seen;
          count.rows += batch.records.length + batch.rejected.length + batch.skipped;
          count.other_evidence += batch.records.length - records.length;
          count.unreadable += batch.rejected.length;
          const rejected = batch.rejected.map((one) => ({
            ...one,
            reason: `${nameOfSource(file)}: ${one.reason}`,
          }));
          yield { ...batch, records, rejected, seen: before + batch.seen, total: null };
        }
        before += seen;
      }
    },
  };
}
