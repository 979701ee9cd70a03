import type { PredictionSet } from '../app/api/predictions.js';
import { formatTime } from './format.js';

/** Returns the name of a run: the given one, or what it was made for and when. */
export function runName({ query_set_name, query_set_id, created_at }: PredictionSet): string {
  if (query_set_name !== null) return query_set_name;
  const what = query_set_id === null ? 'Proteins of the catalogue' : 'Run without a name';
  return `${what}, ${formatTime(created_at)}`;
}
