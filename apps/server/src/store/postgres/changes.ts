import type { Database } from './connection.js';
import { type Subscription, subscribe } from './notifications.js';

/** Tables whose changes are told (migration 63). */
export type ToldTable =
  | 'annotation_set'
  | 'evaluation_result'
  | 'go_term'
  | 'ontology_snapshot'
  | 'prediction_set'
  | 'prediction_set_protein'
  | 'protein'
  | 'protein_metadata'
  | 'reranker_model'
  | 'secondary_accession'
  | 'taxon';

/** Calls back at each committed change of a told table, and with null where some may have been missed. While it is not connected, all are. */
export function onTableChange(
  db: Database,
  changed: (table: string | null) => void,
  connected: (isConnected: boolean) => void,
): Subscription {
  return subscribe(db, {
    channel: 'kindred_changes',
    onNotification: changed,
    onConnect: () => {
      changed(null);
      connected(true);
    },
    onLost: () => connected(false),
  });
}
