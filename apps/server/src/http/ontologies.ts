import { OntologyGraph } from '@kindred/kernels/ontology';
import { LastValue } from '../ground/last-value.js';
import { ontologyColumns } from '../store/ontology/ontology-columns.repository.js';
import { findSnapshot } from '../store/ontology/ontology.repository.js';
import type { Queryable } from '../store/postgres/db.js';

export interface OntologyOfSnapshot {
  /** The key is another one when edges were added to the snapshot. */
  key: string;
  graph: OntologyGraph;
}

/** Gives the graph of an ontology snapshot, and keeps the last one. */
export class Ontologies {
  readonly #db: Queryable;
  readonly #last = new LastValue<OntologyOfSnapshot>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  async of(snapshotId: string): Promise<OntologyOfSnapshot> {
    const snapshot = await findSnapshot(this.#db, snapshotId);
    const key = `${snapshotId} ${snapshot?.relationship_count}`;
    return this.#last.get(key, async () => ({
      key,
      graph: new OntologyGraph(await ontologyColumns(this.#db, snapshotId)),
    }));
  }
}
