import type { ServerResponse } from 'node:http';
import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import { isOverloaded } from '../store/postgres/db.js';
import type { Api, HttpDeps } from './deps.js';

/**
 * A request that would wait longer is refused at once, because clients and proxies give up after 10 s or
 * more.
 */
const longestWaitMs = 4000;
/** The newest reply has this share in the mean time of a reply. */
const newestShare = 0.05;

/**
 * Limits the reads that are computed at once to the number of connections that the database has for them.
 * More reads would not be faster, and each would wait for all others at each of its statements. Other
 * requests wait in order of arrival. A request leaves if its client has gone, and is refused at once if it
 * would wait too long. Writes do not wait here, because writes that come together share a transaction.
 */
export class Admission {
  readonly #atOnce: number;
  readonly #waiting = new Set<(isAdmitted: boolean) => void>();
  #running = 0;
  #meanMs = 0;

  /** @param atOnce the number of replies that are computed at the same time */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** A new request would wait this long, judged by the replies so far. */
  get expectedWaitMs(): number {
    if (this.#running < this.#atOnce) return 0;
    return ((this.#waiting.size + 1) * this.#meanMs) / this.#atOnce;
  }

  /**
   * Resolves, once it is the request's turn, with a function that the caller calls at the end.
   * @throws ProblemError service_unavailable with Retry-After, if the wait would be too long or the client
   * has gone meanwhile
   */
  async enter(response: ServerResponse): Promise<() => void> {
    if (this.expectedWaitMs > longestWaitMs) throw busy();
    if (this.#running < this.#atOnce) this.#running++;
    else await this.#turn(response);
    const startedAt = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#meanMs += newestShare * (performance.now() - startedAt - this.#meanMs);
      const [next] = this.#waiting;
      if (next === undefined) this.#running--;
      else next(true);
    };
  }

  #turn(response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (isAdmitted: boolean) => {
        this.#waiting.delete(settle);
        response.off('close', leave);
        if (isAdmitted) resolve();
        else reject(busy());
      };
      const leave = () => settle(false);
      this.#waiting.add(settle);
      response.once('close', leave);
    });
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply has as many rows as a run, or as a page of its proteins. */
    isLarge?: true;
  }
}

/** Reads wait in one of two lanes, so that those of a protein or a term do not wait behind those of whole runs. */
export interface ReadLanes {
  small: Admission;
  large: Admission;
}

/**
 * Large reads take a twelfth of the connections of the database, which is one by default: two would not be
 * faster on the one thread of the process, and a small read would wait for the turns of both.
 */
export function readLanes(connections: number): ReadLanes {
  const large = Math.max(1, Math.floor(connections / 12));
  return { small: new Admission(Math.max(1, connections - large)), large: new Admission(large) };
}

function busy(): ProblemError {
  const headers = { 'retry-after': String(2 + Math.floor(Math.random() * 4)) };
  return new ProblemError('service_unavailable', 'The service has too much to do. Try again soon.', {
    headers,
  });
}

/**
 * Answers at once that the service is busy, instead of after the longest wait. The hook must be registered
 * after the cache of replies, so that cached replies are still sent.
 * @param lanes one pair for all scopes of the process
 */
export function shedLoad(scope: Api, { db }: Pick<HttpDeps, 'db'>, lanes: ReadLanes): void {
  const leaves = new WeakMap<FastifyRequest, () => void>();
  const leave = (request: FastifyRequest) => leaves.get(request)?.();
  scope.addHook('preParsing', async (request, reply) => {
    if (isOverloaded(db)) throw busy();
    if (request.method !== 'GET' && request.method !== 'HEAD') return;
    const lane = request.routeOptions.config.isLarge ? lanes.large : lanes.small;
    leaves.set(request, await lane.enter(reply.raw));
  });
  // The place becomes free when the reply is computed, begins to be sent in pieces, or breaks off; each
  // request reaches one of the three.
  scope.addHook('onSend', (request, _reply, payload, done) => {
    leave(request);
    done(null, payload);
  });
  scope.addHook('onResponse', (request, _reply, done) => {
    leave(request);
    done();
  });
  scope.addHook('onRequestAbort', (request, done) => {
    leave(request);
    done();
  });
}
