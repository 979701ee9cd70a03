import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ProblemError } from '@kindred/contracts/problems';
import { evaluateFile, type EvaluatedMethod, prepareFrame } from './evaluate-methods.js';
import type { EvaluateRequest, MethodFile } from './evaluate-request.js';

type Answer = { at: number; method: EvaluatedMethod } | { fault: string };

/**
 * Scores methods on threads, each of which reads its own frame (about a second for the largest ontologies).
 * Results have the order of `methods` and do not depend on the number of threads.
 */
export async function evaluateOnThreads(
  request: EvaluateRequest,
  methods: readonly MethodFile[],
  onDone: () => void,
): Promise<EvaluatedMethod[]> {
  const threads = threadsFor(request.threads, methods.length);
  const results: EvaluatedMethod[] = [];
  let next = 0;
  const runWorker = async (): Promise<void> => {
    const worker = new Worker(compiledModule(), { workerData: { kindredEvaluate: request } });
    try {
      while (next < methods.length) {
        const at = next++;
        worker.postMessage({ at, file: methods[at] });
        const answer = await answerOf(worker);
        if ('fault' in answer) throw new ProblemError('bad_file', answer.fault);
        results[answer.at] = answer.method;
        onDone();
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, runWorker));
  return results;
}

/** A thread loads the compiled JavaScript of this module, even when tests run its source. */
function compiledModule(): URL {
  return new URL(import.meta.url.replace('/src/cli/', '/dist/cli/').replace(/\.ts$/, '.js'));
}

/** Gives the number of threads: as requested (0 = one per CPU), at most one per method. */
export function threadsFor(asked: number, methods: number): number {
  return Math.min(asked === 0 ? availableParallelism() : asked, methods);
}

function answerOf(worker: Worker): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: Answer) => {
      worker.removeListener('error', reject);
      resolve(answer);
    });
    worker.once('error', reject);
  });
}

/** Runs in the thread: reads one frame, then each file it receives. */
async function serve(request: EvaluateRequest, port: NonNullable<typeof parentPort>): Promise<void> {
  const prepared = prepareFrame(request);
  const answer = async ({ at, file }: { at: number; file: MethodFile }) => {
    try {
      const { frame } = await prepared;
      port.postMessage({ at, method: await evaluateFile(frame, request, file) } satisfies Answer);
    } catch (fault) {
      port.postMessage({ fault: (fault as Error).message } satisfies Answer);
    }
  };
  port.on('message', (wanted) => void answer(wanted));
}

if (!isMainThread && parentPort && workerData?.kindredEvaluate) {
  await serve(workerData.kindredEvaluate as EvaluateRequest, parentPort);
}
