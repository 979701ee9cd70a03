import type { PayloadOf } from '@kindred/contracts';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { inTransaction } from '../store/postgres/db.js';
import { currentTaxonomy, replaceTaxonomy, type TaxonomyRow } from '../store/ontology/taxonomy.repository.js';
import { loadProblem } from './load-problem.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { readTaxonomy, type TaxonomyDraft } from './read-taxonomy.js';

const name = 'load_taxonomy';

/**
 * Reads and checks the whole dump, then replaces the previous one in one transaction. The same content is not written
 * again.
 */
export const loadTaxonomy: Operation<'load_taxonomy'> = {
  name,
  async run(payload, context) {
    const startMs = performance.now();
    await context.emit(`${name}.start`, addresses(payload));
    const draft = await readTaxonomy(payload, context);
    const counts = {
      lines: draft.lines,
      rejected_lines: draft.rejectedLines,
      other_names: draft.otherNames,
      taxon_count: draft.taxonomy.size,
    };
    await context.emit(`${name}.parsed`, { ...counts, sha256: draft.contentSha256 });
    context.signal.throwIfAborted();
    // If two loads run at once, the second one waits and then finds what the first has written.
    const { row, skipped } = await withAdvisoryLock(context.db, 'taxonomy', async () => {
      const current = await currentTaxonomy(context.db);
      if (current?.content_sha256 === draft.contentSha256) return { row: current, skipped: true };
      return { row: await write(draft, context), skipped: false };
    });
    if (skipped)
      await context.emit(`${name}.already_loaded`, { taxonomy_id: row.id, loaded_at: row.loaded_at });
    const result = {
      ...factsOf(row),
      ...counts,
      skipped,
      elapsed_seconds: (performance.now() - startMs) / 1000,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

function addresses({ taxdump_url, nodes_url, names_url, merged_url }: PayloadOf<'load_taxonomy'>) {
  return taxdump_url === undefined ? { nodes_url, names_url, merged_url } : { taxdump_url };
}

async function write(
  draft: TaxonomyDraft,
  { db, jobId, signal, progress }: OperationContext,
): Promise<TaxonomyRow> {
  const onRows = async (written: number) => {
    signal.throwIfAborted();
    await progress(written, draft.taxonomy.size);
  };
  try {
    return await inTransaction(db, (trx) => replaceTaxonomy(trx, { ...draft, jobId }, onRows));
  } catch (error) {
    throw loadProblem(error, draft.files.map(({ url }) => url).join(', '));
  }
}

function factsOf(row: TaxonomyRow): Record<string, unknown> {
  return {
    taxonomy_id: row.id,
    content_sha256: row.content_sha256,
    merged_count: row.merged_count,
    loaded_at: row.loaded_at,
  };
}
