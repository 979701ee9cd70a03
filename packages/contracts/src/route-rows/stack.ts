import { rowsOf } from '../route-row.js';

export const stackRouteRows = rowsOf('registry', [
  ['GET', '/stack', 'viewer', 'Repositories that the service is made from'],
  ['GET', '/stack/pulls', 'viewer', 'Their open pull requests'],
]);
