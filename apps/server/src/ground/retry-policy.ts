import { deliveryHours } from '@kindred/contracts/resources/webhooks';

/**
 * The table says how often the service tries again after a failure. The code takes its limits and pauses from
 * it, and docs/reference/retries.md is made from it.
 */

/** The pauses grow: pause n takes `firstSeconds` x `factor`^n, but at most `longestSeconds`. */
export interface Pause {
  firstSeconds: number;
  factor: number;
  longestSeconds: number;
}

export interface RetryRule {
  failed: string;
  /** The first try does not count; Infinity means that the number does not end the tries. */
  retries: number;
  /** No other try begins after this time. It is needed if the number of tries alone does not end them. */
  withinSeconds?: number;
  pause: Pause;
  /** The text says where the number of failures is kept, and what resets it. */
  counted: string;
  /** The text says what follows the last try. */
  end: string;
  /** The text says who decides on a number that this table does not set. */
  note?: string;
}

export type RetryPolicy = Record<keyof typeof retryPolicy, RetryRule>;

const steady = (seconds: number): Pause => ({ firstSeconds: seconds, factor: 1, longestSeconds: seconds });
const atOnce = steady(0);
const statement: Pause = { firstSeconds: 0.05, factor: 2, longestSeconds: 1 };
const untilDeadline = 'The job fails with `deadline_passed` at its deadline (`SVC_JOB_DEADLINE_HOURS`)';

export const retryPolicy = {
  jobConnection: {
    failed: 'A job lost its connection to the database, the broker, the artifact store or the name server',
    retries: 19,
    pause: { firstSeconds: 2, factor: 2, longestSeconds: 60 },
    counted: '`attempts` of the job, less what `retry_count` and `lease_losses` count',
    end: 'The job fails with the code of the last error',
    note: 'The requests of each try are repeated, too: see "A request to the artifact store"',
  },
  busy: {
    failed: 'A job or a batch found what it shares with others in use',
    retries: Infinity,
    pause: { firstSeconds: 1, factor: 2, longestSeconds: 600 },
    counted: '`retry_count` of the job; header `x-busy-retries` of the message of a batch',
    end: untilDeadline,
    note: 'The operation names the first pause, 1 to 30 s. Growth and longest pause: specified',
  },
  outcome: {
    failed: 'The outcome of a job could not be written, because the database was away',
    retries: Infinity,
    pause: steady(0.5),
    counted: 'nobody',
    end: 'After the length of a lease (`SVC_LEASE_SECONDS`) the worker gives the job up, which counts as a vanished worker',
  },
  vanishedWorker: {
    failed: 'The worker vanished during a job or a batch',
    retries: 1,
    pause: atOnce,
    counted: '`lease_losses` of the job; `attempts` of the row of the batch',
    end: 'It runs alone, in a process of its own',
    note: 'A worker on another machine has vanished when a lease was not renewed (`SVC_LEASE_SECONDS`)',
  },
  vanishedJob: {
    failed: 'The worker or the process of its own vanished during a job (the one above is among these)',
    retries: 3,
    pause: atOnce,
    counted: '`lease_losses` of the job',
    end: 'The job fails with `lease_expired`',
    note: 'Specified',
  },
  isolatedBatch: {
    failed: 'A batch ended the process in which it ran alone',
    retries: 1,
    pause: atOnce,
    counted: 'the worker that started the process',
    end: 'The batch and its job fail with `batch_failed`; the message becomes a dead letter',
  },
  vanishedBatch: {
    failed: 'The worker vanished during a batch, and no process of its own could show what is to blame',
    retries: 19,
    pause: atOnce,
    counted: '`attempts` of the row of the batch',
    end: 'The batch and its job fail with `batch_failed`; the message becomes a dead letter',
  },
  batchError: {
    failed: 'Computing or storing a batch ended with an error',
    retries: 3,
    pause: { firstSeconds: 2, factor: 2, longestSeconds: 60 },
    counted: 'header `x-retries` of the message, for computing and storing apart',
    end: 'The batch and its job fail with `batch_failed`',
    note: 'A refusal that every try would repeat (a status of 4xx, except `fetch_failed`) is not tried again',
  },
  delivery: {
    failed: 'A batch lost its connection, or a message could not be handled',
    retries: Infinity,
    pause: steady(1),
    counted: 'nobody',
    end: untilDeadline,
    note: 'Quorum queues of RabbitMQ 4 count connections to them that a worker lost, and make the message a dead letter after 20, unless a policy ends that: see "A cluster of RabbitMQ" in the guide to PostgreSQL and RabbitMQ',
  },
  reconnect: {
    failed: 'A connection for notifications of the database, or for a queue of RabbitMQ, was lost',
    retries: Infinity,
    pause: { firstSeconds: 0.1, factor: 2, longestSeconds: 2 },
    counted: 'the process; a connection that opens resets it',
    end: 'Never',
  },
  workerStart: {
    failed: 'A worker starts and finds no database',
    retries: Infinity,
    pause: steady(1),
    counted: 'nobody',
    end: 'Never',
  },
  serviceStart: {
    failed: '`kindred serve` starts, and its database lost a connection',
    retries: Infinity,
    withinSeconds: 60,
    pause: statement,
    counted: 'the process',
    end: 'The service does not start, and says why',
  },
  sentMessage: {
    failed: 'A message could not be sent',
    retries: Infinity,
    withinSeconds: 30,
    pause: statement,
    counted: 'the process',
    end: 'What was to be sent stays in the database, and a worker sends it later',
  },
  settlement: {
    failed: 'The embedded broker could not note that a message was handled',
    retries: Infinity,
    withinSeconds: 300,
    pause: statement,
    counted: 'the process',
    end: 'The message comes again',
  },
  refusedMessage: {
    failed: 'RabbitMQ refused a message',
    retries: 29,
    pause: steady(0.5),
    counted: 'the process',
    end: 'As a message that could not be sent',
  },
  artifactRequest: {
    failed: 'A request to the artifact store, by a worker',
    retries: 9,
    pause: { firstSeconds: 0.1, factor: 2, longestSeconds: 20 },
    counted: 'the request; in a read, bytes that arrive reset it',
    end: '`artifact_store_failed`; where the store is away, a job then has lost its connection',
    note: 'The AWS SDK shortens pauses at random',
  },
  answeredArtifactRequest: {
    failed: 'The same, by the API and by commands: somebody waits for the answer',
    retries: 3,
    pause: { firstSeconds: 0.1, factor: 2, longestSeconds: 20 },
    counted: 'the request; in a read, bytes that arrive reset it',
    end: '`artifact_store_failed`',
    note: 'The AWS SDK shortens pauses at random',
  },
  sourceRequest: {
    failed: 'A request to a source of data on the network',
    retries: 6,
    pause: { firstSeconds: 0.8, factor: 2, longestSeconds: 20 },
    counted: 'the request',
    end: '`fetch_failed`',
    note: 'A server that says how long to wait (`Retry-After`) is believed, up to the longest pause. Up to 0.4 s more at random',
  },
  download: {
    failed: 'A connection broke off during a download',
    retries: 4,
    pause: steady(1),
    counted: 'the download; bytes that arrive reset it',
    end: '`fetch_failed`; the bytes are kept, and the next download goes on from there',
  },
  webhookMessage: {
    failed: 'The receiver of a webhook did not take a message',
    retries: Infinity,
    withinSeconds: deliveryHours * 3600,
    pause: { firstSeconds: 5, factor: 3, longestSeconds: 2 * 3600 },
    counted: '`attempts` of the delivery',
    end: 'The delivery has failed',
  },
  webhook: {
    failed: 'The receiver of a webhook did not take a message: the others for it wait',
    retries: Infinity,
    withinSeconds: deliveryHours * 3600,
    pause: { firstSeconds: 1, factor: 2, longestSeconds: 300 },
    counted: '`failures` of the webhook; a message that is taken resets it',
    end: 'The webhook is disabled, and its waiting messages have failed',
    note: 'An answer of 410 Gone disables it at once',
  },
  supervisedProcess: {
    failed: 'A process of `kindred serve` ended, or gave no answer for 30 s',
    retries: Infinity,
    pause: { firstSeconds: 0.5, factor: 2, longestSeconds: 15 },
    counted: 'the supervisor; a minute of running resets it',
    end: 'Never',
  },
} as const satisfies Record<string, RetryRule>;

/** Gives the pause before retry number `n` (0 for the first). */
export function pauseSeconds({ firstSeconds, factor, longestSeconds }: Pause, n: number): number {
  // Larger exponents reach the longest pause anyway, and their powers may be infinite.
  return Math.min(longestSeconds, firstSeconds * factor ** Math.min(n, 64));
}

export function pauseMs(pause: Pause, n: number): number {
  return 1000 * pauseSeconds(pause, n);
}

/** Adds up all pauses of a rule; Infinity if the number of tries does not end them. */
export function totalPauseSeconds({ retries, pause }: RetryRule): number {
  if (retries === Infinity) return Infinity;
  return Array.from({ length: retries }, (_, n) => pauseSeconds(pause, n)).reduce((sum, s) => sum + s, 0);
}
