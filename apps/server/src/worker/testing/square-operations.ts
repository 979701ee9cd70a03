import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TestOperations } from './harness.js';
import { testBatchName } from './harness.js';

/** Batch n stores the squares of 10 n to 10 n + 9; each step takes a few milliseconds, so that a signal can hit it. */
export const squareOperations: TestOperations = {
  run: {
    squares: async (payload, context) => {
      await context.emit('squares.start');
      await sleep(Number(payload.coordinatorMs ?? 0));
      context.signal.throwIfAborted();
      const batches = Array.from({ length: Number(payload.batches) }, (_, n) => ({ payload: { n } }));
      return { kind: 'deferred', batch: testBatchName, batches, result: { batches: batches.length } };
    },
    slow: async (payload, context) => {
      await sleep(Number(payload.ms), undefined, { signal: context.signal });
      return { kind: 'done', result: { slept: payload.ms } };
    },
  },
  batch: {
    compute: async ({ n }) => {
      await sleep(4);
      return {
        header: { n },
        blocks: [Int32Array.from({ length: 10 }, (_, i) => (Number(n) * 10 + i) ** 2)],
      };
    },
    write: async (trx, { header, blocks }, context) => {
      const values = [...(blocks[0] as Int32Array)];
      await sql`insert into test_product select ${context.jobId}::uuid, ${Number(header.n)}, unnest(${values}::integer[])`.execute(
        trx,
      );
      await sleep(2);
      return { rows: values.length };
    },
    finish: async (trx, { jobId }) => {
      const { rows } = await sql<{
        n: number;
      }>`select count(*) as n from test_product where job_id = ${jobId}`.execute(trx);
      return { total_rows: rows[0].n };
    },
  },
};

export function expectedSquares(batches: number): { batch: number; value: number }[] {
  return Array.from({ length: batches * 10 }, (_, i) => ({ batch: Math.floor(i / 10), value: i ** 2 }));
}
