import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ProblemError } from '@kindred/contracts';
import { patience } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type ComputePool, type ComputeTask, task as poolTask } from './pool.js';
import { ComputeThreadLost, createComputePool } from './thread-pool.js';

/** Each task of the test is written as a module, whose function is given here. */
const sources = {
  count: `(() => { let calls = 0; return () => ++calls; })()`,
  double: `(numbers) => numbers.map((n) => 2 * n)`,
  refuse: `() => { throw Object.assign(new Error('line 3 is bad'), { name: 'ProblemError', code: 'bad_file' }); }`,
  fail: `() => { throw new TypeError('no'); }`,
  die: `() => process.exit(7)`,
  progress: `async (n, control) => {
  for (let i = 1; i <= n; i++) { control.progress(i, n); }
  return n;
}`,
  fill: `(n, control) => {
  const values = new Float32Array(n).fill(1.5);
  control.transfer(values.buffer);
  return values;
}`,
  untilAborted: `(cells, control) => {
  const view = new Int32Array(cells);
  Atomics.store(view, 0, 1);
  while (!control.aborted()) { /* computing */ }
  Atomics.store(view, 0, 2);
}`,
  deaf: `(cells) => {
  Atomics.store(new Int32Array(cells), 0, 1);
  for (;;);
}`,
  bounded: `async (ms, control) => {
  const fault = Object.assign(new Error('The guest did not return.'), { name: 'ProblemError', code: 'runner_failed' });
  await control.bounded({ ms: 1e6, fault }, () => {});
  return control.bounded({ ms, fault }, () => { if (ms < 1000) for (;;); return 'back'; });
}`,
  overlap: `async (cells) => {
  const view = new Int32Array(cells);
  const running = Atomics.add(view, 0, 1) + 1;
  for (let seen; (seen = Atomics.load(view, 1)) < running; ) Atomics.compareExchange(view, 1, seen, running);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (Atomics.load(view, 1) < 2) await turn(); // both threads are at work
  for (let n = 0; n < 50; n++) await turn(); // another task on this thread would begin
  Atomics.sub(view, 0, 1);
}`,
};
let folder: string;
let pool: ComputePool;
/** Refers to a written module; only its thread can run the task. */
const task = <Input, Output>(name: keyof typeof sources | 'absent' | 'two'): ComputeTask<Input, Output> =>
  poolTask(pathToFileURL(join(folder, `${name}.js`)).href, () => {
    throw new Error('a task of the test runs in a thread alone');
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-tasks-'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const compiled = new URL('../../../dist/ground/pool/pool.js', import.meta.url);
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(folder, `${name}.js`), [`import { task } from '${compiled}';`, ...lines].join('\n'));
  for (const [name, run] of Object.entries(sources))
    write(name, [`export const ${name}Task = task(import.meta.url, ${run});`]);
  write('absent', ["export { doubleTask } from './double.js';"]);
  write('two', ['export const a = task(import.meta.url, () => 1);', 'export const b = { ...a };']);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  pool = createComputePool({ size: 2 });
});
afterEach(() => pool.close());

it('runs a task on a thread and returns its output', async () => {
  expect(await pool.run(task<number[], number[]>('double'), [1, 2, 3])).toEqual([2, 4, 6]);
});

it('never runs more tasks than it has threads; the others wait in order', async () => {
  const cells = new SharedArrayBuffer(8);
  await Promise.all(Array.from({ length: 7 }, () => pool.run(task('overlap'), cells)));
  expect(new Int32Array(cells)[1]).toBe(2);
});

it('keeps a module and its state in its thread', async () => {
  const single = createComputePool({ size: 1 });
  const counts = [];
  for (let n = 0; n < 3; n++) counts.push(await single.run(task('count'), null));
  await single.close();
  expect(counts).toEqual([1, 2, 3]);
});

it('hands errors over as what they were', async () => {
  await expect(pool.run(task('refuse'), null)).rejects.toSatisfy(
    (error) =>
      error instanceof ProblemError && error.code === 'bad_file' && error.message === 'line 3 is bad',
  );
  await expect(pool.run(task('fail'), null)).rejects.toMatchObject({ name: 'TypeError', message: 'no' });
  await expect(pool.run(task('absent'), null)).rejects.toThrow('absent.js exports no task');
  await expect(pool.run(task('two'), null)).rejects.toThrow('two.js exports no task, or more than one');
});

it('replaces a thread that dies, and fails its task alone', async () => {
  const others = Array.from({ length: 4 }, () => pool.run(task<number[], number[]>('double'), [1]));
  const ends = await Promise.allSettled([1, 2, 3].map(() => pool.run(task('die'), null)));
  for (const end of ends) expect((end as PromiseRejectedResult).reason).toBeInstanceOf(ComputeThreadLost);
  expect(await Promise.all(others)).toEqual([[2], [2], [2], [2]]);
  expect(await pool.run(task<number[], number[]>('double'), [4])).toEqual([8]);
});

it('ends a thread whose task does not look at its flag, and goes on with another', async () => {
  const own = createComputePool({ size: 1, abandonMs: 20 });
  const cells = new SharedArrayBuffer(4);
  const controller = new AbortController();
  const running = own.run(task<SharedArrayBuffer, void>('deaf'), cells, { signal: controller.signal });
  await vi.waitUntil(() => Atomics.load(new Int32Array(cells), 0) === 1, patience);
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
  expect(await own.run(task<null, number>('count'), null)).toBe(1);
  await own.close();
});

it('fails a task whose guest does not return in time, ends its thread, and goes on with another', async () => {
  const own = createComputePool({ size: 1, abandonMs: 20 });
  const bounded = task<number, string>('bounded');
  expect(await own.run(bounded, 1e6)).toBe('back');
  await expect(own.run(bounded, 20)).rejects.toSatisfy(
    (error) =>
      error instanceof ProblemError &&
      error.code === 'runner_failed' &&
      error.message === 'The guest did not return.',
  );
  expect(await own.run(task<null, number>('count'), null)).toBe(1);
  await own.close();
});

it('aborts a running task through its flag, and a waiting one before it starts', async () => {
  const cells = [new SharedArrayBuffer(4), new SharedArrayBuffer(4), new SharedArrayBuffer(4)];
  const controllers = cells.map(() => new AbortController());
  const runs = cells.map((cell, n) =>
    pool.run(task('untilAborted'), cell, { signal: controllers[n].signal }),
  );
  const ends = Promise.allSettled(runs);
  const started = () => cells.map((cell) => Atomics.load(new Int32Array(cell), 0));
  await vi.waitUntil(() => started()[0] === 1 && started()[1] === 1, patience);
  controllers[2].abort(new Error('changed my mind'));
  controllers[0].abort(new Error('first'));
  controllers[1].abort(new Error('second'));
  expect((await ends).map((end) => (end as PromiseRejectedResult).reason.message)).toEqual([
    'first',
    'second',
    'changed my mind',
  ]);
  expect(await pool.run(task<number[], number[]>('double'), [4])).toEqual([8]); // The call succeeds only if the threads are free again.
  await vi.waitUntil(() => started()[0] === 2 && started()[1] === 2, patience); // A task checks the flag between blocks.
  expect(started()).toEqual([2, 2, 0]);
});

it('reports progress, the end always', async () => {
  const seen: number[] = [];
  await pool.run(task('progress'), 5000, { progress: (done) => seen.push(done) });
  expect(seen.at(-1)).toBe(5000);
  expect(seen.length).toBeLessThan(100);
});

it('moves buffers both ways', async () => {
  const input = new Float64Array([1, 2]);
  await pool.run(task('double'), input, { transfer: [input.buffer] });
  expect(input.byteLength).toBe(0);
  const output = await pool.run(task<number, Float32Array>('fill'), 1000);
  expect(output).toHaveLength(1000);
  expect(output[999]).toBe(1.5);
});

it('rejects an input that cannot be cloned, and goes on', async () => {
  await expect(pool.run(task('double'), () => 1)).rejects.toMatchObject({ name: 'DataCloneError' });
  expect(await pool.run(task<number[], number[]>('double'), [4])).toEqual([8]);
});

it('rejects everything once it is closed', async () => {
  const cell = new SharedArrayBuffer(4);
  const runs = [1, 2, 3].map(() => pool.run(task('untilAborted'), cell));
  const ends = Promise.allSettled(runs);
  await pool.close();
  expect((await ends).every((end) => end.status === 'rejected')).toBe(true);
  await expect(pool.run(task('count'), null)).rejects.toThrow('closed');
});

it('gives the next free thread to urgent calls, in their order', async () => {
  await pool.close();
  pool = createComputePool({ size: 1, besideThread: false });
  const order: string[] = [];
  const call = (name: string, urgent: boolean) =>
    pool.run(task<number[], number[]>('double'), [1], { urgent }).then(() => order.push(name));
  await Promise.all([call('first', false), call('large', false), call('small', true), call('small 2', true)]);
  expect(order).toEqual(['first', 'small', 'small 2', 'large']);
});

it('runs one urgent call beside threads that are all at work, unless its thread would keep much memory', async () => {
  await pool.close();
  pool = createComputePool({ size: 1, besideThread: true });
  const stops = [new AbortController(), new AbortController()];
  const busy = stops.map(() => new SharedArrayBuffer(4));
  const running = stops.map(({ signal }, n) =>
    pool.run(task('untilAborted'), busy[n], { signal, urgent: n === 1 }),
  );
  const ended = Promise.allSettled(running);
  // Both calls compute at once, though the pool has one thread.
  for (const cells of busy) await vi.waitFor(() => expect(new Int32Array(cells)[0]).toBe(1), patience);
  const order: string[] = [];
  const call = (name: string, options: { urgent: boolean; keepsMuch?: boolean }) =>
    pool
      .run({ ...task<number[], number[]>('double'), keepsMuch: options.keepsMuch }, [1], {
        urgent: options.urgent,
      })
      .then(() => order.push(name));
  const waiting = [
    call('usual', { urgent: false }),
    call('model', { urgent: true, keepsMuch: true }),
    call('urgent', { urgent: true }),
  ];
  stops[1].abort();
  await waiting[2];
  expect(order).toEqual(['urgent']);
  stops[0].abort();
  await Promise.all([ended, ...waiting]);
  expect(order).toEqual(['urgent', 'model', 'usual']);
});
