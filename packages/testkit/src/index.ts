export * from './shared-data.js';
export * from './rabbitmq.js';
export * from './patience.js';
