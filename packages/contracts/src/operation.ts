import type { z } from 'zod';
import type { QueueName } from './jobs.js';

export interface OperationRow {
  name: string;
  queue: QueueName;
  /** Whether a researcher may submit the operation; all others need an operator. */
  light: boolean;
  description: string;
  payload: z.ZodType;
}
