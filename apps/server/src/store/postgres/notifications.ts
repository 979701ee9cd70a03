import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { pauseMs, retryPolicy } from '../../ground/retry-policy.js';
import { cutConnections, type Database, type Transaction } from './connection.js';
import { GuardedClient } from './guarded-driver.js';

export interface Subscription {
  /** Resolves with the first connection; later losses are repaired in the background. */
  ready: Promise<void>;
  /**
   * Resolves when the notifications of every transaction that was committed before the call have come.
   * Callers at the same time share a statement. The promise rejects while no connection exists.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export interface SubscriptionOptions {
  channel: string;
  /**
   * The process holds this session lock (two integers) as long as it lives and is connected, so that others
   * see in pg_locks whether it does.
   */
  lock?: [number, number];
  onNotification: (payload: string) => void;
  /** The function is called after each (re)connection: notifications may have been missed before it. */
  onConnect: () => void;
  /** The function is called when the connection broke: notifications are missed until the next onConnect. */
  onLost?: () => void;
}

const heartbeatMs = 5000;
/** A busy server needs less time than this for the shortest statement. */
const answerMs = 10_000;

/**
 * Listens on a separate connection, outside the pool, and reconnects with back-off for as long as it is open.
 * If the server falls silent (its machine is gone, and another has its address), this connection and those of
 * the pool are cut, because statements would wait on them for a quarter of an hour.
 */
export function subscribe(db: Database, options: SubscriptionOptions): Subscription {
  const closing = new AbortController();
  let client: GuardedClient | undefined;
  let ask: (() => Promise<void>) | undefined;
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const loop = (async () => {
    let failures = 0;
    while (!closing.signal.aborted) {
      try {
        const connected = await connect(db, options);
        client = connected;
        const lost = new Promise<void>((resolve) => connected.once('end', resolve));
        failures = 0;
        isReady();
        ask = oneAtATime(() => connected.query('select 1'));
        options.onConnect();
        if (closing.signal.aborted) await connected.end();
        const heartbeat = watch(connected, ask, () => cutConnections(db));
        await lost;
        clearInterval(heartbeat);
        ask = undefined;
        options.onLost?.();
      } catch {
        failures++;
      }
      await sleep(pauseMs(retryPolicy.reconnect.pause, failures), undefined, {
        signal: closing.signal,
      }).catch(() => {});
    }
  })();
  return {
    ready,
    // The server sends a connection the notifications that wait for it before it answers a statement.
    caughtUp: async () => {
      if (ask === undefined) throw new Error('the connection that hears of changes is lost');
      await ask();
    },
    close: async () => {
      closing.abort();
      await client?.end().catch(() => {});
      await loop;
    },
  };
}

/** Runs the statement once for all who call while another run is in progress, after that run has ended. */
function oneAtATime(run: () => Promise<unknown>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last
      .catch(() => {})
      .then(async () => {
        last = next as Promise<void>;
        next = undefined;
        await run();
      });
    return next;
  };
}

function watch(client: GuardedClient, ask: () => Promise<void>, onSilence: () => void): NodeJS.Timeout {
  let asked = false;
  return setInterval(() => {
    if (asked) return;
    asked = true;
    const silent = setTimeout(() => {
      client.cut();
      onSilence();
    }, answerMs);
    ask()
      .catch(() => {})
      .finally(() => {
        asked = false;
        clearTimeout(silent);
      });
  }, heartbeatMs);
}

async function connect(db: Database, options: SubscriptionOptions): Promise<GuardedClient> {
  const client = new GuardedClient({
    ...db.pool.options,
    keepAlive: true,
    application_name: 'kindred-listen',
  });
  // A lost connection shows as `end`, too.
  client.on('error', () => {});
  client.on('notification', (message) => options.onNotification(message.payload ?? ''));
  try {
    await client.connect();
    if (options.lock) await client.query('select pg_advisory_lock($1, $2)', options.lock);
    await client.query(`listen ${pg.escapeIdentifier(options.channel)}`);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

/**
 * PostgreSQL announces the changes of these tables by a trigger each; a test compares the list with the
 * database.
 */
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
const changes = 'kindred_changes';

/**
 * Announces that replies about a table's rows have changed, although the change is in a table that is not
 * announced.
 */
export async function announceChange(trx: Transaction, table: AnnouncedTable): Promise<void> {
  await sql`select pg_notify(${changes}, ${table})`.execute(trx);
}

/**
 * Announces that every announced table may have changed, for acts that fire no trigger, such as dropping
 * tables.
 */
export async function announceAllChanges({ client }: Pick<Transaction, 'client'>): Promise<void> {
  await client.query('select pg_notify($1, name) from unnest($2::text[]) as name', [
    changes,
    announcedTables,
  ]);
}

/**
 * Calls back at each committed change of an announced table, and with null if some may have been missed.
 * While it is not connected, all are missed.
 */
export function onTableChange(
  db: Database,
  changed: (table: string | null) => void,
  connected: (isConnected: boolean) => void,
): Subscription {
  return subscribe(db, {
    channel: changes,
    onNotification: changed,
    onConnect: () => {
      changed(null);
      connected(true);
    },
    onLost: () => connected(false),
  });
}
