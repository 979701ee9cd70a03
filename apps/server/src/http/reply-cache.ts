import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { atLeast } from '@kindred/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onTableChange, type AnnouncedTable, type Subscription } from '../store/postgres/notifications.js';
import { acceptsGzip } from './accept.js';
import type { Api, HttpDeps, SharedValues } from './deps.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply is made of these tables, and kept until one of them changes. */
    madeOf?: readonly AnnouncedTable[];
    /** The reply also depends on who asks, and not only on whether an operator does. */
    ofReader?: true;
  }
}

interface Kept {
  body: Buffer;
  /** The packed reply is made when the first client accepts gzip. */
  packed: Promise<Buffer> | null;
  etag: string;
  headers: Record<string, string>;
  keptAt: number;
  version: number;
}

/**
 * One request computes its reply; other requests for the same reply wait until it is kept, instead of
 * computing it, too.
 */
interface Computing {
  request: FastifyRequest;
  version: number;
  over: Promise<void>;
}

const maxBytes = 64 << 20;
const maxReplyBytes = 4 << 20;
/**
 * The limit covers changes that are missed while the connection is dead but not yet noticed, and changes of
 * other tables that are only counted.
 */
const maxAgeMs = 10_000;
/**
 * An older reply is given for this time while another request computes the next one, so that nobody waits
 * when a popular reply gets old.
 */
const maxLateMs = 5_000;
const minPackedBytes = 1024;
const packing = { level: 5 };
const keptHeaders = ['content-type', 'link', 'x-total-count', 'x-total-is-exact'];
const pack = promisify(gzip);

/**
 * Keeps the replies of routes that name their tables, until one of those tables changes. The cache needs
 * notices of changes, so it works only while the service listens. Without it, these replies still have an
 * ETag.
 *
 * A notice comes a moment after its commit. Nobody may read data that are older than a reply that this
 * process has given (to a write, or about a job that ended). So a kept reply waits for the notices of
 * everything that was committed before that reply. Another process may know of a change earlier; its callers
 * ask with `Cache-Control: no-cache` (docs/how-to/use-from-programs.md).
 */
export class ReplyCache implements SharedValues {
  readonly #kept = new Map<string, Kept>();
  readonly #versions = new Map<string, number>();
  readonly #began = new WeakMap<FastifyRequest, number>();
  /** The map holds the replies that are computed now, by key. */
  readonly #computing = new Map<string, Computing>();
  readonly #ends = new WeakMap<FastifyRequest, () => void>();
  /** The map holds the values of `shared`, by name. */
  readonly #values = new Map<string, { value: Promise<unknown>; version: number; madeAt: number }>();
  readonly #counter: Counter<'outcome'> | null;
  #bytes = 0;
  #hears = false;
  #subscription: Subscription | undefined;
  /** The counter grows with each reply that may have reported a change. */
  #said = 0;
  /** All notices have come up to this value of `#said`. */
  #heard = 0;

  constructor(metrics: HttpDeps['metrics']) {
    this.#counter =
      metrics &&
      new Counter({
        name: 'http_kept_replies_total',
        help: 'Requests of routes whose replies are kept: answered from memory (kept) or not (computed)',
        labelNames: ['outcome'],
        registers: [metrics.registry],
      });
    if (metrics !== null) this.#gauge(metrics.registry);
  }

  #gauge(registry: Registry): void {
    const bytes = (): number => this.#bytes;
    new Gauge({
      name: 'http_kept_replies_bytes',
      help: 'Memory of the replies that are kept, at most 64 MiB',
      registers: [registry],
      collect() {
        this.set(bytes());
      },
    });
  }

  /** The app calls this once for the whole service. */
  listen(api: Api, { db }: Pick<HttpDeps, 'db'>): void {
    api.addHook('onListen', async () => {
      this.#subscription = onTableChange(
        db,
        (table) => this.#change(table),
        (isConnected) => {
          this.#hears = isConnected;
        },
      );
    });
    api.addHook('onClose', async () => this.#subscription?.close());
  }

  /**
   * Serves kept replies in a scope of routes. The hooks must be registered after every hook that changes
   * replies.
   */
  serve(api: Api): void {
    // The hook runs after the gate, and before the request is read and checked: an existing reply proves that
    // the request is valid.
    api.addHook('preParsing', async (request, reply) => {
      if (request.routeOptions.config.madeOf === undefined) return;
      const isCurrent = this.#heard >= this.#said || (await this.#catchUp());
      const kept = isCurrent ? await this.#findOrBegin(request) : undefined;
      this.#counter?.inc({ outcome: kept === undefined ? 'computed' : 'kept' });
      if (kept === undefined) return;
      reply.headers(kept.headers);
      await this.#send(request, reply, kept);
      return reply as never;
    });
    api.addHook('onSend', async (request, reply, payload) => {
      const { madeOf } = request.routeOptions.config;
      if (madeOf === undefined) {
        this.said();
        return payload;
      }
      if (typeof payload !== 'string' || reply.statusCode !== 200) {
        this.#endComputing(request);
        return payload;
      }
      const body = Buffer.from(payload);
      const hash = createHash('sha256').update(body).digest('base64url');
      const kept: Kept = {
        body,
        packed: null,
        etag: `W/"${hash.slice(0, 22)}"`,
        headers: headersOf(reply),
        keptAt: Date.now(),
        version: this.#began.get(request) ?? -1,
      };
      this.#keep(request, madeOf, kept);
      this.#endComputing(request);
      return this.#negotiate(request, reply, kept);
    });
  }

  async shared<V>(name: string, madeOf: readonly AnnouncedTable[], make: () => Promise<V>): Promise<V> {
    // A shared value takes long to make, so asking for notices first costs little. They keep it from being
    // older than what any process wrote.
    if (!(await this.#catchUp())) return make();
    const version = this.#version(madeOf);
    const kept = this.#values.get(name);
    if (kept?.version === version && Date.now() - kept.madeAt < maxAgeMs) return kept.value as Promise<V>;
    const value = make();
    this.#values.set(name, { value, version, madeAt: Date.now() });
    // A failure reaches the callers that wait now; the next caller tries again.
    value.catch(() => this.#values.delete(name));
    return value;
  }

  said(): void {
    this.#said++;
  }

  /**
   * Waits for the notices of everything that is committed now. False means that they do not come, so that
   * nothing may be given from memory.
   */
  async #catchUp(): Promise<boolean> {
    const said = this.#said;
    try {
      await this.#subscription?.caughtUp();
    } catch {
      return false;
    }
    this.#heard = Math.max(this.#heard, said);
    return this.#hears;
  }

  #change(table: string | null): void {
    if (table === null) {
      this.#kept.clear();
      this.#bytes = 0;
    }
    const name = table ?? '';
    this.#versions.set(name, (this.#versions.get(name) ?? 0) + 1);
  }

  /** The version grows with each change of one of the tables. */
  #version(madeOf: readonly string[]): number {
    return madeOf.reduce((sum, table) => sum + (this.#versions.get(table) ?? 0), this.#versions.get('') ?? 0);
  }

  /**
   * Finds a kept reply, if need be after waiting for the request that computes it. Undefined means that this
   * request must compute the reply.
   */
  async #findOrBegin(request: FastifyRequest): Promise<Kept | undefined> {
    for (;;) {
      const kept = this.#find(request);
      const version = this.#began.get(request);
      if (kept !== undefined || version === undefined || isFresh(request)) return kept;
      const key = keyOf(request);
      const computing = this.#computing.get(key);
      if (computing?.version !== version) {
        const over = new Promise<void>((resolve) => this.#ends.set(request, resolve));
        this.#computing.set(key, { request, version, over });
        return undefined;
      }
      const late = this.#keptFor(key, version, maxAgeMs + maxLateMs);
      if (late !== undefined) return late;
      await computing.over;
    }
  }

  #endComputing(request: FastifyRequest): void {
    const end = this.#ends.get(request);
    if (end === undefined) return;
    const key = keyOf(request);
    if (this.#computing.get(key)?.request === request) this.#computing.delete(key);
    end();
  }

  #find(request: FastifyRequest): Kept | undefined {
    const { madeOf } = request.routeOptions.config;
    if (madeOf === undefined || !this.#hears || request.method !== 'GET') return undefined;
    const version = this.#version(madeOf);
    this.#began.set(request, version);
    if (isFresh(request)) return undefined;
    return this.#keptFor(keyOf(request), version, maxAgeMs);
  }

  #keptFor(key: string, version: number, milliseconds: number): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept?.version === version && Date.now() - kept.keptAt < milliseconds ? kept : undefined;
  }

  #keep(request: FastifyRequest, madeOf: readonly string[], kept: Kept): void {
    if (!this.#hears || request.method !== 'GET' || kept.body.length > maxReplyBytes) return;
    if (kept.version !== this.#version(madeOf)) return;
    const key = keyOf(request);
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#bytes += sizeOf(key, kept);
    const { keptAt } = kept;
    for (const [oldest, { keptAt: since }] of this.#kept) {
      // Replies that are too old to be given are dropped, because they only take memory.
      if (this.#bytes <= maxBytes && keptAt - since < maxAgeMs + maxLateMs) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(key, kept);
  }

  async #send(request: FastifyRequest, reply: FastifyReply, kept: Kept): Promise<void> {
    reply.send(await this.#negotiate(request, reply, kept));
  }

  async #negotiate(request: FastifyRequest, reply: FastifyReply, kept: Kept): Promise<Buffer | string> {
    reply.header('etag', kept.etag).header('cache-control', 'no-cache').header('vary', 'Accept-Encoding');
    if (matches(request.headers['if-none-match'], kept.etag)) {
      reply.code(304).removeHeader('content-type');
      return '';
    }
    if (kept.body.length < minPackedBytes || !acceptsGzip(request.headers['accept-encoding']))
      return kept.body;
    kept.packed ??= pack(kept.body, packing);
    reply.header('content-encoding', 'gzip');
    return kept.packed;
  }
}

/**
 * Packs other JSON of the scope if the client accepts gzip. The hook must be registered after every hook that
 * changes replies.
 */
export function packReplies(api: Api): void {
  api.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < minPackedBytes) return done(null, payload);
    // The size of a packed answer could betray a secret if the answer also contains words of the caller.
    if (reply.statusCode >= 400 || /^\/(v1\/)?(auth|api-keys|users)\b/.test(request.url))
      return done(null, payload);
    if (!acceptsGzip(request.headers['accept-encoding'])) return done(null, payload);
    reply.header('content-encoding', 'gzip').header('vary', 'Accept-Encoding').removeHeader('content-length');
    gzip(payload, packing, done);
  });
}

/** The size counts the body twice, because its packed form may be kept, too. */
function sizeOf(key: string, { body }: Kept): number {
  return 2 * (key.length + body.length) + 500;
}

/** The client wants a reply that is computed for it. */
function isFresh(request: FastifyRequest): boolean {
  return request.headers['cache-control'] === 'no-cache';
}

/** Operators see the folders of addresses, and others do not, so their replies have different keys. */
function keyOf({ principal, url, routeOptions }: FastifyRequest): string {
  const own = routeOptions.config.ofReader === true ? principal.user?.id : undefined;
  return `${atLeast(principal.role, 'operator') ? 'operator' : (own ?? 'other')} ${url}`;
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = reply.getHeader(name);
    if (value !== undefined) headers[name] = String(value);
  }
  return headers;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || bare(tag) === bare(etag));
}
