import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { sql } from 'kysely';
import { type Database, inTransaction } from '../store/postgres/connection.js';
import { storeSequences } from '../store/proteins/sequences.repository.js';

export interface TestData {
  snapshotId: string;
  setId: string;
  configId: string;
  predictionSetId: string;
}

const terms = [
  ['GO:0003674', 'molecular_function', 'F'],
  ['GO:0005488', 'binding', 'F'],
  ['GO:0005515', 'protein binding', 'F'],
  ['GO:0008150', 'biological_process', 'P'],
  ['GO:0005575', 'cellular_component', 'C'],
] as const;

/**
 * Makes a tiny catalogue: five terms, two proteins, three annotations, one configuration with a vector, one
 * prediction set.
 */
export async function fillCatalogue(db: Database): Promise<TestData> {
  return inTransaction(db, async (trx) => {
    const { ids } = await storeSequences(trx, ['MKTAYIAK', 'MKTAYIAKQR']);
    const proteins = await trx
      .insertInto('protein')
      .values(
        ['P00001', 'P00002'].map((accession, i) => ({
          accession,
          canonical_accession: accession,
          entry_name: `${accession}_HUMAN`,
          protein_name: 'Some 100% protein',
          organism: i === 0 ? 'Homo sapiens' : 'Mus musculus',
          taxonomy_id: i === 0 ? 9606 : 10090,
          reviewed: i === 0,
          length: 8 + 2 * i,
          sequence_id: ids[i],
        })),
      )
      .returning('id')
      .execute();
    await trx
      .insertInto('protein_metadata')
      .values({ canonical_accession: 'P00001', function_cc: 'Binds.' })
      .execute();
    const snapshot = await trx
      .insertInto('ontology_snapshot')
      .values({
        obo_version: 'releases/2026-01-01',
        obo_url: 'https://example.org/go.obo',
        obo_sha256: '0'.repeat(64),
        term_counts: JSON.stringify({ P: 1, F: 3, C: 1, obsolete: 0 }),
        relationship_count: 2,
        alt_id_count: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const rows = await trx
      .insertInto('go_term')
      .values(
        terms.map(([go_id, name, aspect]) => ({ ontology_snapshot_id: snapshot.id, go_id, name, aspect })),
      )
      .returning(['id', 'go_id'])
      .execute();
    const idOf = Object.fromEntries(rows.map((row) => [row.go_id, row.id]));
    const edge = (child: string, parent: string) => ({
      ontology_snapshot_id: snapshot.id,
      child_go_term_id: idOf[child],
      parent_go_term_id: idOf[parent],
      relation_type: 'is_a',
    });
    await trx
      .insertInto('go_term_relationship')
      .values([edge('GO:0005515', 'GO:0005488'), edge('GO:0005488', 'GO:0003674')])
      .execute();
    await trx
      .insertInto('go_term_alt_id')
      .values({ ontology_snapshot_id: snapshot.id, alt_id: 'GO:0001948', go_term_id: idOf['GO:0005515'] })
      .execute();
    const set = await trx
      .insertInto('annotation_set')
      .values({
        source: 'goa',
        source_version: '2026-01',
        ontology_snapshot_id: snapshot.id,
        state: 'complete',
        annotation_count: 3,
        protein_count: 2,
        statistics: JSON.stringify({
          by_aspect: { P: 0, F: 3, C: 0 },
          by_evidence_code: { IDA: 3 },
          negated: 0,
          terms: 2,
        }),
      })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
    await sql
      .raw(
        `create table protein_go_annotation_s${set.number} partition of protein_go_annotation for values in (${set.number})`,
      )
      .execute(trx);
    await trx
      .insertInto('protein_go_annotation')
      .values(
        [
          [0, 'GO:0005515'],
          [0, 'GO:0005488'],
          [1, 'GO:0005515'],
        ].map(([protein, term]) => ({
          annotation_set_number: set.number,
          protein_id: proteins[protein as number].id,
          go_term_id: idOf[term],
          evidence_code: 'IDA',
          qualifier: 'enables',
        })),
      )
      .execute();
    const config = await trx
      .insertInto('embedding_config')
      .values({
        ...completeRecipe({ model_name: 'tiny', model_backend: 'test' }),
        dimension: 4,
      })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('sequence_embedding')
      .values({ embedding_config_number: config.number, sequence_id: ids[0], embedding: Buffer.alloc(8) })
      .execute();
    const predicted = await trx
      .insertInto('prediction_set')
      .values({
        embedding_config_id: config.id,
        annotation_set_id: set.id,
        ontology_snapshot_id: snapshot.id,
        visibility: 'listed',
        limit_per_entry: 5,
        prediction_count: 3,
        protein_count: 2,
      })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
    const common = {
      prediction_set_number: predicted.number,
      protein_accession: 'Q1',
      qualifier: 'enables',
      evidence_code: 'IDA',
    };
    await trx
      .insertInto('go_prediction')
      .values([
        {
          ...common,
          go_term_id: idOf['GO:0005515'],
          source_kind: 'protein',
          source_id: 'P00001',
          distance: 0.123456789,
          score: 0.93827,
          is_nearest: true,
          vote_count: 2,
          term_rank: 1,
        },
        {
          ...common,
          go_term_id: idOf['GO:0005515'],
          source_kind: 'protein',
          source_id: 'P00002',
          distance: 0.5,
          score: 0.93827,
          is_nearest: false,
          vote_count: 2,
          term_rank: 1,
        },
        {
          ...common,
          go_term_id: idOf['GO:0008150'],
          source_kind: 'protein',
          source_id: 'P00002',
          distance: 2,
          score: 0,
          is_nearest: true,
          vote_count: 1,
          term_rank: 2,
        },
      ])
      .execute();
    await trx
      .insertInto('prediction_set_protein')
      .values([
        {
          prediction_set_number: predicted.number,
          protein_accession: 'Q1',
          sequence_id: ids[0],
          term_count: 2,
          prediction_count: 3,
          min_distance: 0.123,
        },
        {
          prediction_set_number: predicted.number,
          protein_accession: 'Q2',
          sequence_id: ids[1],
          term_count: 0,
          prediction_count: 0,
          min_distance: null,
        },
      ])
      .execute();
    return { snapshotId: snapshot.id, setId: set.id, configId: config.id, predictionSetId: predicted.id };
  });
}
