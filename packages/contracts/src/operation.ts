import type { z } from 'zod';
import type { QueueName } from './jobs.js';

export interface OperationRow {
  name: string;
  queue: QueueName;
  /** A researcher may submit it; all others need an operator. */
  light: boolean;
  description: string;
  payload: z.ZodType;
}
