import { deadLetterQueue, ProblemError, queueNames } from '@kindred/contracts';
import { workerRoutes } from '@kindred/contracts/resources/workers';
import { listWorkerProcesses } from '../../../store/jobs/worker-processes.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { serve } from '../../serve.js';
import { presentDeadLetter, presentWorker } from './present.js';
import { storageOf } from './storage.js';

export function serveWorkers(api: Api, deps: RouteDeps): void {
  const { db, broker, metrics, settings } = deps;
  serve(api, workerRoutes.status, async () => {
    const depths = await Promise.all(
      queueNames.map(async (name) => ({ name, depth: await broker.depth(name) })),
    );
    return {
      broker: broker.kind,
      workers: (await listWorkerProcesses(db)).map(presentWorker),
      queues: depths,
      dead_letters: await broker.depth(deadLetterQueue),
      storage: await storageOf(db, settings.cacheDir),
    };
  });
  serve(api, workerRoutes.deadLetters, async (request) =>
    (await broker.deadLetters(request.query.limit)).map(presentDeadLetter),
  );
  serve(api, workerRoutes.replayDeadLetters, async (request) => ({
    replayed: await broker.replayDeadLetters(request.body.max_messages),
  }));
  serve(api, workerRoutes.purgeDeadLetters, async () => ({ purged: await broker.purgeDeadLetters() }));
  serve(api, workerRoutes.metrics, async (_request, reply) => {
    if (metrics === null)
      throw new ProblemError('service_unavailable', 'Metrics are not available in this process.');
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
