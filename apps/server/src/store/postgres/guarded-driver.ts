import pg from 'pg';
import { ConnectionLostError, PoolClosedError } from './connection-fault.js';

const lostClients = new WeakSet<object>();

/** The error of a statement on `client`: a ConnectionLostError where the driver lost the connection and gave no code. */
export function withLossNamed(client: object, error: unknown): unknown {
  return lostClients.has(client) && !hasCode(error) ? new ConnectionLostError({ cause: error }) : error;
}

/** Codes of Node's streams say only that the other end of the COPY went away. */
function hasCode(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !code.startsWith('ERR_STREAM_');
}

/** The driver has no public way to end a connection on which a statement waits for ever. */
interface DriverInside {
  connection: { stream: { destroy(): void } };
}

type Done = (error: Error | undefined, ...rest: unknown[]) => void;

/** A client of the driver whose statements reject with a ConnectionLostError after its connection broke. */
export class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const lose = () => {
      lostClients.add(this);
    };
    // The driver emits these before it rejects the statements that wait.
    this.on('error', lose);
    this.on('end', lose);
  }

  // The driver's overloads (text, config, stream, callback) have no common type.
  // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
  override query(...args: any[]): any {
    const last = args.at(-1);
    if (typeof last === 'function') {
      const done = last as Done;
      args[args.length - 1] = (error: Error | undefined, ...rest: unknown[]) =>
        done(error && (withLossNamed(this, error) as Error), ...rest);
    }
    // oxlint-disable-next-line typescript/no-explicit-any -- the driver's overloads
    const result = (super.query as any)(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => {
      throw withLossNamed(this, error);
    });
  }
}

/** A pool whose failure to lend a connection has a code. */
export class GuardedPool extends pg.Pool {
  readonly #open = new Set<pg.PoolClient>();
  /** How long the last borrower waited for its connection. */
  lastWaitMs = 0;

  constructor(config: pg.PoolConfig) {
    super({ ...config, Client: GuardedClient as unknown as pg.PoolConfig['Client'] });
    this.on('connect', (client) => this.#open.add(client));
    this.on('remove', (client) => this.#open.delete(client));
  }

  /** Cuts all connections, also those in use: their statements reject with a ConnectionLostError, and the next ones connect again. */
  cut(): void {
    for (const client of this.#open) (client as unknown as DriverInside).connection.stream.destroy();
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
