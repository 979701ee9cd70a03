import { operationRows } from '@kindred/contracts/operations';
import { chosenSources } from '@kindred/contracts/resources/prediction-sets';
import { describe, expect, it } from 'vitest';
import { checkCatalogue, operationCatalogue } from './catalogue.js';

describe('the catalogue', () => {
  it('has exactly one implementation for each row of the contract', async () => {
    await checkCatalogue();
    for (const row of operationRows)
      expect((await operationCatalogue.operation(row.name))?.name).toBe(row.name);
  });

  it('finds batch operations by both of their names', async () => {
    for (const [name, writeName] of [
      ['compute_embeddings_batch', 'store_embeddings'],
      ['predict_go_terms_batch', 'store_predictions'],
    ]) {
      const batch = await operationCatalogue.batch(name);
      expect(batch).toMatchObject({ name, writeName });
      expect(await operationCatalogue.batchByWriteName(writeName)).toBe(batch);
    }
  });

  it('knows no other names, not even those of every object', async () => {
    for (const name of ['compute_embeddings_batch', 'toString', 'constructor', '']) {
      expect(await operationCatalogue.operation(name)).toBeUndefined();
    }
    for (const name of ['ping', 'toString', '__proto__']) {
      expect(await operationCatalogue.batch(name)).toBeUndefined();
      expect(await operationCatalogue.batchByWriteName(name)).toBeUndefined();
    }
  });

  it('checks payloads again, and names the field', async () => {
    const load = await operationCatalogue.operation('load_ontology_snapshot');
    expect(load?.parse({ obo_url: 'file://x.obo' })).toMatchObject({ force_relationships: false });
    expect(() => load?.parse({ obo_url: 'file://x.obo', surprise: 1 })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
    expect(() => load?.parse({})).toThrow('/payload/obo_url');
  });

  it('reads payloads that were stored with a name of before', async () => {
    const predict = await operationCatalogue.operation('predict_go_terms');
    const [config, set, snapshot] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
    const stored = {
      embedding_config_id: config,
      annotation_set_id: set,
      ontology_snapshot_id: snapshot,
      donor_taxa: [9606],
    };
    expect(predict?.parse(stored)).toMatchObject({ source_taxa: [9606] });
    expect(chosenSources(stored)).toEqual([['source_taxa', '9606']]);
  });
});
