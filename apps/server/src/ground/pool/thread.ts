import { parentPort } from 'node:worker_threads';
import type { TaskControl } from './pool.js';
import { sendError, type TaskReply, type TaskRequest } from './thread-messages.js';

/** Entry of a compute thread: one task at a time, modules loaded once and kept. */
type TaskFunction = (input: unknown, control: TaskControl) => unknown;

const port = parentPort;
if (!port) throw new Error('this module runs in a worker thread alone');
const progressPeriodMs = 100;
const send = (reply: TaskReply, transfer: ArrayBuffer[] = []) => port.postMessage(reply, transfer);

port.on('message', (request: TaskRequest) => void answer(request));

async function answer(request: TaskRequest): Promise<void> {
  try {
    const task = await loadTask(request);
    const moved: ArrayBuffer[] = [];
    const output = await task(request.input, controlOf(request, moved));
    send({ kind: 'output', output }, moved);
  } catch (error) {
    send({ kind: 'error', error: sendError(error) });
  }
}

async function loadTask(request: TaskRequest): Promise<TaskFunction> {
  const loaded = (await import(request.url)) as Record<string, unknown>;
  const task = loaded[request.export];
  if (typeof task !== 'function') throw new Error(`${request.url} exports no function ${request.export}`);
  return task as TaskFunction;
}

function controlOf(request: TaskRequest, moved: ArrayBuffer[]): TaskControl {
  const flag = new Int32Array(request.abortFlag);
  let reportedAt = 0;
  return {
    aborted: () => Atomics.load(flag, 0) !== 0,
    progress: (done, total) => {
      if (!request.reportProgress) return;
      const now = performance.now();
      if (done < total && now - reportedAt < progressPeriodMs) return;
      reportedAt = now;
      send({ kind: 'progress', done, total });
    },
    transfer: (...buffers) => moved.push(...buffers),
  };
}
