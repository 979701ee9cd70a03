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

/** The parts of one worker process share this state. */
export interface WorkerRuntime {
  services: OperationServices;
  broker: Broker;
  catalogue: OperationCatalogue;
  settings: WorkerSettings;
  metrics: WorkerMetrics;
  log: WorkerLog;
  /** The log shows faults that repeat while their cause lasts. */
  faults: FaultLog;
  /** The process has this id in leases and in worker_process. */
  owner: string;
  watch: WorkWatch;
  dispatcher: Dispatcher;
  /** This process takes work from these queues. */
  queues: readonly QueueName[];
  /** If null, suspect work runs in this process like other work. */
  isolate: Isolation | null;
}
