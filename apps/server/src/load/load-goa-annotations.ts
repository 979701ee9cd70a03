import { annotationSource } from './annotation-load.js';
import { loadAnnotations } from './load-annotations.js';
import type { Operation } from '../work/operation/operation.js';

const name = 'load_goa_annotations';
const readRunRows = 500;

/** Loads a GAF or GPAD file for the canonical accessions in the database. */
export const loadGoaAnnotations: Operation<'load_goa_annotations'> = {
  name,
  async run(payload, context) {
    const { gaf_url, ontology_snapshot_id, source_version, page_size, timeout_seconds } = payload;
    await context.emit(`${name}.start`, { gaf_url, ontology_snapshot_id, source_version });
    const source = await annotationSource('goa', context);
    return loadAnnotations(
      {
        operation: name,
        identity: { source: 'goa', sourceVersion: source_version, ontologySnapshotId: ontology_snapshot_id },
        source,
        // Small batches are parsed, so that rows die in V8's young generation; large ones are committed.
        parameters: { gaf_url, page_size: Math.min(page_size, readRunRows), timeout_seconds },
        url: gaf_url,
        sideUrls: [],
        headerLines: 0,
        accessions: 'canonical',
        pageSize: page_size,
        rowLimit: payload.total_limit,
        onBadLine: payload.on_bad_line,
        meta: { gaf_url },
      },
      context,
    );
  },
};
