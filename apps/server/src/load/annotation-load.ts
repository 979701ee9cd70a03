import { ProblemError, type RecordSource } from '@kindred/contracts';
import type { SetIdentity } from '../store/annotations/annotation-load.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import type { AccessionScope } from './annotation-lookup.js';
import type { AnnotationTally } from './annotation-tally.js';

type AnnotationSource = Required<Pick<RecordSource, 'annotations'>> & Pick<RecordSource, 'release'>;

/** @throws ProblemError service_unavailable if the installed plugin of that name offers no annotations */
export async function annotationSource(name: string, context: OperationContext): Promise<AnnotationSource> {
  const source = await context.plugins.source(name);
  if (source.annotations !== undefined) return source as AnnotationSource;
  throw new ProblemError(
    'service_unavailable',
    `The installed source plugin "${name}" offers no annotations.`,
  );
}

/** The loads of annotations differ in these options. */
export interface AnnotationLoad {
  operation: 'load_goa_annotations' | 'load_quickgo_annotations' | 'load_reference_annotations';
  identity: SetIdentity;
  source: AnnotationSource;
  parameters: Record<string, unknown>;
  /** Messages name the file by this address. */
  url: string;
  sideUrls: readonly string[];
  /** Each stream begins with this number of header lines. */
  headerLines: number;
  /** The load keeps the annotations of these accessions. */
  accessions: AccessionScope;
  pageSize: number;
  rowLimit: number | null;
  onBadLine: 'skip' | 'fail';
  meta: Record<string, unknown>;
  /** Returns metadata to add when the rows are counted. */
  countsMeta?: (fill: { tally: AnnotationTally; unreadable: number }) => Record<string, unknown>;
}

/** Returns true if the source is one whole file, so that its server can say whether it changed. */
export function isOneFile(load: AnnotationLoad): boolean {
  return load.operation === 'load_goa_annotations' && load.rowLimit === null && load.sideUrls.length === 0;
}
