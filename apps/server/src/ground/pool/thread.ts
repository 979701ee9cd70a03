import { parentPort } from 'node:worker_threads';
import { type ComputeTask, type TaskControl, taskOf } from './pool.js';
import { sendError, type TaskReply, type TaskRequest } from './thread-messages.js';

/** A compute thread starts here. It runs one task at a time, and keeps the modules that it has loaded. */
const port = parentPort;
if (!port) throw new Error('this module runs in a worker thread alone');
const progressPeriodMs = 100;
const send = (reply: TaskReply, transfer: ArrayBuffer[] = []) => port.postMessage(reply, transfer);

port.on('message', (request: TaskRequest) => void answer(request));

async function answer(request: TaskRequest): Promise<void> {
  try {
    const task = await loadTask(request);
    const moved: ArrayBuffer[] = [];
    const output = await task.run(request.input, controlOf(request, moved));
    send({ kind: 'output', output }, moved);
  } catch (error) {
    send({ kind: 'error', error: sendError(error) });
  }
}

async function loadTask({ url }: TaskRequest): Promise<ComputeTask<unknown, unknown>> {
  const task = taskOf((await import(url)) as object, url);
  if (task === null) throw new Error(`${url} exports no task, or more than one`);
  return task;
}

function controlOf(request: TaskRequest, moved: ArrayBuffer[]): TaskControl {
  const flag = new Int32Array(request.abortFlag);
  let reportedAt = 0;
  return {
    aborted: () => Atomics.load(flag, 0) !== 0,
    bounded: async ({ ms, fault }, work) => {
      send({ kind: 'limit', limit: { ms, fault: sendError(fault) } });
      try {
        return await work();
      } finally {
        send({ kind: 'limit', limit: null });
      }
    },
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
