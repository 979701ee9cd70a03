import { basename } from 'node:path';
import type { RecordSource } from '@kindred/contracts';
import type { ReferenceSource } from '../../store/references/references.repository.js';

type AnnotationSource = Required<Pick<RecordSource, 'annotations'>>;

/** Counts of one of the joined files. */
export interface JoinedCounts {
  /** Lines of annotations, unreadable ones included. */
  rows: number;
  /** Rows of known proteins that the choice of evidence leaves out. */
  other_evidence: number;
  unreadable: number;
}

/** How a source is called in messages. */
export function nameOfSource(source: ReferenceSource): string {
  return source.file_name ?? basename(new URL(source.url).pathname);
}

/**
 * Several annotation files as one source, in their order. With `chosen`, only rows of these evidence codes. A bad line is
 * named with its file.
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
