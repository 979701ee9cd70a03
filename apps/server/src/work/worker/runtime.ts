import type { QueueName } from '@kindred/contracts';
import type { Broker } from '../broker/broker.js';
import type { OperationCatalogue, OperationServices } from '../operation/operation.js';
import type { FaultLog } from '../../telemetry/fault-log.js';
import type { WorkerMetrics } from '../../telemetry/worker-metrics.js';
import type { Dispatcher } from './dispatcher.js';
import type { Isolation } from './isolation.js';
import type { WorkerLog } from './log.js';
import type { WorkerSettings } from './settings.js';
import type { WorkWatch } from './watch.js';

/** Shared state of one worker process. */
export interface WorkerRuntime {
  services: OperationServices;
  broker: Broker;
  catalogue: OperationCatalogue;
  settings: WorkerSettings;
  metrics: WorkerMetrics;
  log: WorkerLog;
  /** Log of faults that repeat while their cause lasts. */
  faults: FaultLog;
  /** Id of this process in leases and in worker_process. */
  owner: string;
  watch: WorkWatch;
  dispatcher: Dispatcher;
  /** Queues that this process takes work from. */
  queues: readonly QueueName[];
  /** null: suspect work runs in this process like other work. */
  isolate: Isolation | null;
}
