import type { Database } from './connection.js';
import { type Subscription, subscribe } from './notifications.js';

/** Tables whose changes PostgreSQL announces, by a trigger each: a test compares them with the database. */
export const announcedTables = [
  'annotation_set',
  'evaluation_result',
  'go_slim',
  'go_term',
  'ontology_snapshot',
  'prediction_set',
  'prediction_set_protein',
  'protein',
  'protein_metadata',
  'reranker_model',
  'secondary_accession',
  'taxon',
] as const;
export type AnnouncedTable = (typeof announcedTables)[number];

/**
 * Calls back at each committed change of an announced table, and with null if some may have been missed. While it is not
 * connected, all are missed.
 */
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
