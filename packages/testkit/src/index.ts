export * from './shared-data.js';
export * from './test-database.js';
export * from './rabbitmq.js';
