import { z } from 'zod';
import { queueTypes } from '@kindred/contracts';
import { amqpAddress, databaseAddress, integer } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** The rows describe the connections to the database and to the queues. */
export const databaseSettingRows = {
  dbUrl: {
    env: 'SVC_DB_URL',
    yaml: 'database.url',
    schema: databaseAddress,
    whenUnset: 'embedded server',
    example: 'postgresql://kindred:secret@db.lab.example/kindred',
    description:
      'PostgreSQL 15 to 18; several hosts with their ports, joined by commas, are servers of which the one that takes writes is used; without it a server from its npm package runs in the data folder',
    secret: true,
  },
  dbConnections: {
    env: 'SVC_DB_CONNECTIONS',
    yaml: 'database.connections',
    schema: integer(2, 200, 12),
    example: '30',
    description: 'Maximum number of connections per process',
  },
  amqpUrl: {
    env: 'SVC_AMQP_URL',
    yaml: 'queue.amqp_url',
    schema: amqpAddress,
    whenUnset: 'queues in the database',
    example: 'amqp://kindred:secret@mq.lab.example/',
    description:
      'RabbitMQ; several servers of one cluster with their ports, joined by commas, are used in turn; without it PostgreSQL holds the queues',
    secret: true,
  },
  amqpQueueType: {
    env: 'SVC_AMQP_QUEUE_TYPE',
    yaml: 'queue.type',
    schema: z.enum(queueTypes, 'must be classic or quorum').default('classic'),
    example: 'quorum',
    description:
      'Type of the queues on RabbitMQ. quorum: with copies on the servers of a cluster. A queue keeps the type that it was made with, so choose before the first start',
  },
} as const satisfies Record<string, SettingRow>;
