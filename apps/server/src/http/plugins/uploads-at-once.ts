import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest, RouteOptions } from 'fastify';

/** A page that checks its input while the user types has one or two uploads at once. */
const mostAtOnce = 4;

/**
 * Limits the uploads of an anonymous caller that are received and read at the same time. One thread reads the
 * uploads of all callers, so a long queue of one caller would keep the others waiting.
 */
export class UploadsAtOnce {
  readonly #running = new Map<string, number>();
  readonly #callers = new WeakMap<FastifyRequest, string>();

  /**
   * The hook counts an upload of the route before its body is read; further hooks of the route notice its
   * end.
   * @param callerOf gives the address that the rate limits count; null means no bound
   */
  bound(
    route: RouteOptions,
    callerOf: (request: FastifyRequest) => Promise<string | null>,
  ): (request: FastifyRequest) => Promise<void> {
    const leave = async (request: FastifyRequest) => this.#leave(request);
    route.onResponse = [leave, ...[route.onResponse ?? []].flat()];
    route.onRequestAbort = [leave, ...[route.onRequestAbort ?? []].flat()];
    return async (request) => {
      const caller = await callerOf(request);
      if (caller !== null) this.#enter(request, caller);
    };
  }

  #enter(request: FastifyRequest, caller: string): void {
    const running = this.#running.get(caller) ?? 0;
    if (running >= mostAtOnce)
      throw new ProblemError(
        'rate_limited',
        `At most ${mostAtOnce} uploads at the same time without an account. Send the next one when one of them is answered.`,
        { headers: { 'retry-after': '2' } },
      );
    this.#running.set(caller, running + 1);
    this.#callers.set(request, caller);
  }

  #leave(request: FastifyRequest): void {
    const caller = this.#callers.get(request);
    if (caller === undefined || !this.#callers.delete(request)) return;
    const others = (this.#running.get(caller) ?? 1) - 1;
    if (others > 0) this.#running.set(caller, others);
    else this.#running.delete(caller);
  }
}
