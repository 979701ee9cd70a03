/** Columns of an annotation set that decide which release is older. */
export interface DatedRelease {
  source: string;
  source_version: string;
  newest_annotation_date: string | null;
}

/**
 * Why two releases cannot be old and new: the newest annotation of the newer one is older than that of the older one. null
 * where the order is right, or where a release has no dates.
 */
export function reversedReleases(before: DatedRelease, after: DatedRelease): string | null {
  const [old, recent] = [before.newest_annotation_date, after.newest_annotation_date];
  if (old === null || recent === null || recent >= old) return null;
  return `the newest annotation of ${nameOf(after)} is of ${recent}, that of the old set ${nameOf(before)} of ${old}; give the older release as the old one`;
}

function nameOf({ source, source_version }: DatedRelease): string {
  return `${source} ${source_version}`;
}
