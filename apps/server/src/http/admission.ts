import type { ServerResponse } from 'node:http';
import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import { isOverloaded } from '../store/postgres/db.js';
import type { Api, HttpDeps } from './deps.js';

/** Longest wait: a request that would wait longer is refused at once, since clients and proxies give up after 10 s and more. */
const longestWaitMs = 4000;
/** Share of the newest reply in the mean time of a reply. */
const newestShare = 0.05;

/**
 * Lets only as many reads be computed at once as the database has connections for: more would not be faster, and each would wait for all
 * others at each of its statements. Others wait in the order in which they came; those whose client has gone leave, and those who would
 * wait too long are refused at once. Writes are not held, since those that come together share a transaction.
 */
export class Admission {
  readonly #atOnce: number;
  readonly #waiting = new Set<(isAdmitted: boolean) => void>();
  #running = 0;
  #meanMs = 0;

  /** @param atOnce replies that are computed at the same time */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** How long one that comes now would wait, judged by the replies so far. */
  get expectedWaitMs(): number {
    if (this.#running < this.#atOnce) return 0;
    return ((this.#waiting.size + 1) * this.#meanMs) / this.#atOnce;
  }

  /**
   * Resolves, once the turn has come, with a function to be called at the end.
   * @throws ProblemError service_unavailable with Retry-After: the wait would be too long, or the client has gone meanwhile
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

function busy(): ProblemError {
  const headers = { 'retry-after': String(2 + Math.floor(Math.random() * 4)) };
  return new ProblemError('service_unavailable', 'The service has too much to do. Try again soon.', {
    headers,
  });
}

/**
 * Says at once that the service is busy, rather than after the longest wait. To be registered after the cache of replies, so that those
 * are still sent.
 * @param admission one for all scopes of the process
 */
export function shedLoad(scope: Api, { db }: Pick<HttpDeps, 'db'>, admission: Admission): void {
  const leaves = new WeakMap<FastifyRequest, () => void>();
  const leave = (request: FastifyRequest) => leaves.get(request)?.();
  scope.addHook('preParsing', async (request, reply) => {
    if (isOverloaded(db)) throw busy();
    if (request.method === 'GET' || request.method === 'HEAD')
      leaves.set(request, await admission.enter(reply.raw));
  });
  // The reply is computed, or begins to be sent in pieces; one of the three comes for each request.
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
