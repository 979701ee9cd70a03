import type { PayloadOf } from '@kindred/contracts';
import { loadProteinIds } from './annotation-lookup.js';
import { annotationSource } from './annotation-load.js';
import { loadAnnotations } from './load-annotations.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';

type Payload = PayloadOf<'load_quickgo_annotations'>;

const name = 'load_quickgo_annotations';

/** Loads QuickGO's annotations of the proteins in the database, isoforms included. */
export const loadQuickgoAnnotations: Operation<'load_quickgo_annotations'> = {
  name,
  async run(payload, context) {
    const { quickgo_base_url, eco_mapping_url, ontology_snapshot_id, source_version } = payload;
    await context.emit(`${name}.start`, { quickgo_base_url, ontology_snapshot_id, source_version });
    const source = await annotationSource('quickgo', context);
    const geneProducts = await geneProductsOf(payload, context);
    return loadAnnotations(
      {
        operation: name,
        identity: {
          source: 'quickgo',
          sourceVersion: source_version,
          ontologySnapshotId: ontology_snapshot_id,
        },
        source,
        parameters: {
          quickgo_base_url,
          gene_product_ids: geneProducts,
          gene_product_batch_size: payload.gene_product_batch_size,
          eco_mapping_url,
          page_size: payload.page_size,
          timeout_seconds: payload.timeout_seconds,
        },
        url: quickgo_base_url,
        sideUrls: eco_mapping_url === null ? [] : [eco_mapping_url],
        headerLines: 1,
        accessions: 'all',
        pageSize: payload.page_size,
        rowLimit: payload.total_limit,
        onBadLine: payload.on_bad_line,
        meta: { quickgo_base_url, eco_mapping_url, gene_products: geneProducts?.length ?? null },
      },
      context,
    );
  },
};

/**
 * The load requests the named gene products, else every canonical accession in the database. Null requests
 * everything.
 */
async function geneProductsOf(payload: Payload, { db }: OperationContext): Promise<string[] | null> {
  if (payload.gene_product_ids !== null) return payload.gene_product_ids;
  if (!payload.use_db_accessions) return null;
  return [...(await loadProteinIds(db, 'canonical')).keys()].sort();
}
