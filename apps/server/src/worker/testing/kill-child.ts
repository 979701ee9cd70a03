import { createEmbeddedBroker } from '../../broker/embedded.js';
import { createRabbitBroker } from '../../broker/rabbitmq.js';
import { enqueueJob } from '../../jobs/submit.js';
import { inTransaction, openDatabase } from '../../store/db.js';
import { startTestWorker } from './harness.js';
import { squareOperations } from './square-operations.js';

/**
 * A process for the kill tests. `worker <db> [<amqp>]`: runs test operations until it is killed or told to stop.
 * `api <db> <job>`: commits a job and dies before it can publish it.
 */
const [, , role, url, third] = process.argv;
const db = openDatabase(url, 6);

if (role === 'api') {
  const job = await inTransaction(db, (trx) =>
    enqueueJob(trx, { operation: 'squares', queueName: 'svc.jobs', payload: JSON.parse(third) }),
  );
  process.stdout.write(`${job.id}\n`, () => process.kill(process.pid, 'SIGKILL'));
} else {
  const broker = third ? createRabbitBroker(third) : createEmbeddedBroker(db, { pollMs: 100 });
  const worker = await startTestWorker({
    db,
    broker,
    operations: squareOperations,
    concurrency: 3,
    settings: { leaseSeconds: 2, sweepPeriodMs: 200, unpublishedAgeSeconds: 0.5, stalledBatchSeconds: 5 },
  });
  process.stdout.write('ready\n');
  process.once('SIGTERM', async () => {
    await worker.stop();
    await broker.close();
    process.exit(0);
  });
}
