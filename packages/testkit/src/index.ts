export * from './shared-data.js';
export * from './rabbitmq.js';
export * from './patience.js';
export { variantOf } from './variant.js';
