import type { AnnotationSet } from '../app/api/reference-data.js';
import { formatDay } from './format.js';

/** Names an annotation set for readers by its source and the day of its newest annotation. */
export function referenceName({
  source,
  source_version,
  newest_annotation_date,
}: Pick<AnnotationSet, 'source' | 'source_version' | 'newest_annotation_date'>): string {
  const name = source === 'goa' ? source_version : `${source} ${source_version}`;
  const spelled = /\d{4}-\d\d-\d\d/.exec(name)?.[0];
  if (spelled !== undefined) return name.replace(spelled, formatDay(spelled));
  return newest_annotation_date === null ? name : `${name}, ${formatDay(newest_annotation_date)}`;
}
