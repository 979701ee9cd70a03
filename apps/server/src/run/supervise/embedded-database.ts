import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/postgres.js';

const watchMs = 1000;
/** The whole service ends within ten seconds; the server recovers what it could not write in that time. */
const options = { endsWithProcess: true, stoppingGraceMs: 4000 };

/** Starts, watches, restarts and stops the embedded PostgreSQL of the service. */
export class EmbeddedDatabase {
  #timer: NodeJS.Timeout | null = null;
  #restarting: Promise<void> | null = null;
  #stopped = false;
  /** The last reason why the server did not start. */
  #told: string | null = null;
  readonly #folder: string;
  #server: EmbeddedPostgres;
  readonly #onRestart: (reason: string) => void;

  private constructor(folder: string, server: EmbeddedPostgres, onRestart: (reason: string) => void) {
    this.#folder = folder;
    this.#server = server;
    this.#onRestart = onRestart;
  }

  /** @param say gets warnings, and the reason why the server was started again */
  static async start(folder: string, say: (line: string) => void): Promise<EmbeddedDatabase> {
    const server = await startEmbeddedPostgres(folder, options);
    for (const warning of server.warnings) say(`WARNING  ${warning}`);
    const database = new EmbeddedDatabase(folder, server, say);
    database.#timer = setInterval(() => void database.#watch(), watchMs);
    return database;
  }

  get url(): string {
    return this.#server.url;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#restarting;
    await this.#server.stop();
  }

  async #watch(): Promise<void> {
    if (this.#restarting !== null || (await this.#server.runs())) return;
    // A restart or a stop may have begun while the query ran.
    if (this.#restarting !== null || this.#stopped) return;
    this.#restarting = startEmbeddedPostgres(this.#folder, options)
      .then((server) => {
        this.#server = server;
        this.#told = null;
        this.#onRestart('the database server had stopped; it was started again and recovered its data');
      })
      .catch((error: Error) => this.#tell(whyNotStarted(error, this.#folder)))
      .finally(() => {
        this.#restarting = null;
      });
  }

  /** Tells why the server does not start. It is tried again every few seconds, so a reason that stays is told once. */
  #tell(reason: string): void {
    if (reason === this.#told) return;
    this.#told = reason;
    this.#onRestart(`the database server had stopped and does not start: ${reason}`);
  }
}

function whyNotStarted({ message }: Error, folder: string): string {
  if (!message.includes('No space left on device')) return message;
  return `The disk is full: free space for ${folder}. It starts again then.`;
}
