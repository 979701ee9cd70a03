import type { Operation } from './operation.js';

/** The smoke test shows that API, broker, worker and database reach each other. */
export const ping: Operation<'ping'> = {
  name: 'ping',
  async run(payload, context) {
    await context.emit('ping.start', { payload });
    await context.emit('ping.done');
    return { kind: 'done', result: { pong: true } };
  },
};
