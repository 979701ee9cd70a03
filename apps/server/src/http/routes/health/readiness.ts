import { schemaFault } from '../../../store/migrations/migrate.js';
import { pingDatabase } from '../../../store/postgres/db.js';
import type { HttpDeps } from '../../deps.js';

/**
 * The schema changes by a migration only, and a probe comes every few seconds, so the check is repeated after
 * this time.
 */
const schemaTrustedMs = 60_000;

/** Tells whether this process should get requests now. The log shows each change, not each probe. */
export class Readiness {
  #schemaCheckedAt = Number.NEGATIVE_INFINITY;
  #last: string | null = null;
  readonly #deps: Pick<HttpDeps, 'db' | 'broker' | 'log' | 'stopping'>;

  constructor(deps: Pick<HttpDeps, 'db' | 'broker' | 'log' | 'stopping'>) {
    this.#deps = deps;
  }

  /** Gives a sentence that says what is missing; null when the process is ready. */
  async fault(): Promise<string | null> {
    if (this.#deps.stopping?.aborted) return 'This process is stopping; send requests to another.';
    const [database, broker] = await Promise.all([this.#databaseFault(), this.#brokerFault()]);
    const fault = database ?? broker;
    if (fault !== this.#last) {
      if (fault === null) this.#deps.log?.info('ready');
      else this.#deps.log?.warn({ fault }, 'not ready');
      this.#last = fault;
    }
    return fault;
  }

  async #databaseFault(): Promise<string | null> {
    try {
      if (performance.now() - this.#schemaCheckedAt < schemaTrustedMs) {
        await pingDatabase(this.#deps.db);
        return null;
      }
      const fault = await schemaFault(this.#deps.db);
      if (fault === null) this.#schemaCheckedAt = performance.now();
      return fault;
    } catch {
      return 'The database cannot be reached.';
    }
  }

  async #brokerFault(): Promise<string | null> {
    return this.#deps.broker.check().then(
      () => null,
      (error: Error) => `The message broker cannot be used. ${error.message}`,
    );
  }
}
