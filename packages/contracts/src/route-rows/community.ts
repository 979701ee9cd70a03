import { type RouteRow, rowsOf } from '../route-row.js';

export const communityRows: readonly RouteRow[] = rowsOf('community', [
  ['GET', '/support', 'viewer', 'Number of thumbs-up and the newest comments'],
  ['POST', '/support', 'viewer', 'Give a thumbs-up, with a comment if you like', { rate: 'support' }],
]);
