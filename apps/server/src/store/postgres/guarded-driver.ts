import { createHash } from 'node:crypto';
import pg from 'pg';
import type { SessionKind } from '../../ground/addresses/database.js';
import { ConnectionLostError, PoolClosedError, ReadOnlyServerError } from './connection-fault.js';
import type { Place, WritableServer } from '../../ground/addresses/writable-server.js';

const lostClients = new WeakSet<object>();

/**
 * Gives the error of a statement on `client`: a ConnectionLostError if the driver lost the connection and
 * gave no code.
 */
export function withLossNamed(client: object, error: unknown): unknown {
  return lostClients.has(client) && isOfDriver(error) ? new ConnectionLostError({ cause: error }) : error;
}

/** Returns true for errors that carry neither a code of the server nor a name from the work itself. */
function isOfDriver(error: unknown): boolean {
  if (hasCode(error)) return false;
  const { code } = error as { code?: unknown };
  return code !== undefined || Object.getPrototypeOf(error) === Error.prototype;
}

/** Codes of Node's streams say only that the other end of the COPY went away. */
function hasCode(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !code.startsWith('ERR_STREAM_');
}

/**
 * The driver has these members, but does not declare them: the way to end a connection on which a statement
 * hangs, and the server's parameters.
 */
interface DriverInside {
  connection: {
    stream: { destroy(): void };
    on(
      event: 'parameterStatus',
      listener: (status: { parameterName: string; parameterValue: string }) => void,
    ): void;
  };
}

/** Connections keep statements under these names, found by text. */
const names = new Map<string, string>();

/**
 * Makes each connection parse a statement of this text once, and keep its plan as long as that pays (PREPARE
 * in PostgreSQL's manual).
 */
export function keepPrepared(text: string): void {
  // The name comes from the content, so two processes never give one name to different statements.
  names.set(text, `kept_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);
}

/**
 * The SQLSTATE is feature_not_supported. A kept statement rejects with it when a migration has changed the
 * type of its rows.
 */
const changedRowsState = '0A000';
type KeptQuery = pg.QueryConfig & { name: string };
/** The SQLSTATE is in_failed_sql_transaction. */
const abortedState = '25P02';

type Done = (error: Error | undefined, ...rest: unknown[]) => void;

export interface GuardedConfig extends pg.ClientConfig {
  sessionKind?: SessionKind;
  /** An address with several hosts names these servers; they choose the host of each connection. */
  servers?: WritableServer;
}

/** The SQLSTATE is read_only_sql_transaction. */
const readOnlyState = '25006';

/**
 * The statements of this client reject with a ConnectionLostError after its connection broke. It connects
 * only to a server that takes writes (unless the address says otherwise), and leaves one that no longer does.
 */
export class GuardedClient extends pg.Client {
  readonly #servers: WritableServer | undefined;
  #place: Place | undefined;
  readonly #readOnly = new Set<string>();
  readonly #sessionKind: SessionKind;
  /** The connection no longer keeps statements with these texts, because their rows have changed. */
  readonly #changed = new Set<string>();

  constructor(config: GuardedConfig) {
    super(config);
    this.#servers = config.servers;
    this.#sessionKind = config.sessionKind ?? 'read-write';
    // The driver emits these before it rejects the statements that wait.
    this.on('error', () => {
      lostClients.add(this);
      this.#leavePlace();
    });
    this.on('end', () => {
      lostClients.add(this);
    });
    // A server announces whether it takes writes while it accepts a connection.
    (this as unknown as DriverInside).connection.on(
      'parameterStatus',
      ({ parameterName, parameterValue }) => {
        if (parameterName !== 'in_hot_standby' && parameterName !== 'default_transaction_read_only') return;
        if (parameterValue === 'on') this.#readOnly.add(parameterName);
        else this.#readOnly.delete(parameterName);
      },
    );
  }

  // Promise and callback: one body for both overloads.
  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
  override connect(callback?: any): any {
    if (callback === undefined) return this.#connect().then(() => this);
    const done = callback as Done;
    void this.#connect().then(
      () => done(undefined, this),
      (error: Error) => done(error),
    );
  }

  async #connect(): Promise<void> {
    this.#place = await this.#servers?.find();
    // The driver reads the members when it connects.
    if (this.#place !== undefined) Object.assign(this, this.#place);
    try {
      await super.connect();
    } catch (error) {
      this.#leavePlace();
      throw error;
    }
    if (this.#sessionKind === 'any' || this.#readOnly.size === 0) return;
    this.#leavePlace();
    this.end().catch(() => {});
    throw new ReadOnlyServerError();
  }

  /** The next connections look for a server again. */
  #leavePlace(): void {
    if (this.#place !== undefined) this.#servers?.forget(this.#place);
  }

  /**
   * Gives the error of a statement its right name. A server that takes no writes any more is left, and the
   * pool connects again.
   */
  #named(error: unknown): unknown {
    if (this.#sessionKind !== 'any' && (error as { code?: unknown }).code === readOnlyState) this.cut();
    return withLossNamed(this, error);
  }

  /** Closes the socket, so running statements reject. */
  cut(): void {
    (this as unknown as DriverInside).connection.stream.destroy();
  }

  // The driver's overloads (text, config, stream, callback) have no common type.
  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
  override query(...args: any[]): any {
    const last = args.at(-1);
    if (typeof last === 'function') {
      const done = last as Done;
      args[args.length - 1] = (error: Error | undefined, ...rest: unknown[]) =>
        done(error && (this.#named(error) as Error), ...rest);
    }
    const kept = typeof last === 'function' ? undefined : this.#keptFor(args[0], args[1]);
    if (kept !== undefined) return this.#queryKept(kept);
    // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
    const result = (super.query as any)(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw this.#named(error);
    });
  }

  /** Gives the query with the name of its statement; undefined if connections do not keep it. */
  #keptFor(query: string | pg.QueryConfig, values: unknown[]): KeptQuery | undefined {
    const config = typeof query === 'string' ? { text: query, values } : query;
    const name = this.#changed.has(config.text) ? undefined : names.get(config.text);
    return name === undefined ? undefined : { ...config, name };
  }

  async #queryKept({ name, ...config }: KeptQuery): Promise<pg.QueryResult> {
    try {
      return await super.query({ ...config, name });
    } catch (error) {
      if ((error as { code?: unknown }).code !== changedRowsState) throw this.#named(error);
      this.#changed.add(config.text);
      return super.query(config).catch((again: unknown) => {
        // The first error ended the transaction that the statement was part of.
        throw this.#named((again as { code?: unknown }).code === abortedState ? error : again);
      });
    }
  }
}

/** The pool gives an error a code when it cannot lend a connection. */
export class GuardedPool extends pg.Pool {
  readonly #open = new Set<GuardedClient>();
  /** The last borrower waited this long for its connection. */
  lastWaitMs = 0;

  constructor(config: pg.PoolConfig & GuardedConfig) {
    super({ ...config, Client: GuardedClient as unknown as pg.PoolConfig['Client'] });
    this.on('connect', (client) => this.#open.add(client as unknown as GuardedClient));
    this.on('remove', (client) => this.#open.delete(client as unknown as GuardedClient));
  }

  /**
   * Cuts all connections, also those in use: their statements reject with a ConnectionLostError, and the next
   * ones connect again.
   */
  cut(): void {
    for (const client of this.#open) client.cut();
  }

  // Promise and callback: one body for both overloads.
  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
  override connect(callback?: any): any {
    const askedAt = performance.now();
    if (callback === undefined) {
      return super.connect().then(
        (client) => {
          this.lastWaitMs = performance.now() - askedAt;
          return client;
        },
        (error: unknown) => {
          throw this.#notConnected(error);
        },
      );
    }
    return super.connect((error, client, release) => {
      this.lastWaitMs = performance.now() - askedAt;
      (callback as Done)(error && this.#notConnected(error), client, release);
    });
  }

  #notConnected(error: unknown): Error {
    if (hasCode(error)) return error as Error;
    return this.ending ? new PoolClosedError({ cause: error }) : new ConnectionLostError({ cause: error });
  }
}
