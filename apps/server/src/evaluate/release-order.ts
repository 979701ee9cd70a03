/** These columns of an annotation set decide which release is older. */
export interface DatedRelease {
  source: string;
  source_version: string;
  newest_annotation_date: string | null;
}

/**
 * Says why two releases cannot be old and new: the newest annotation of the newer release is older than that
 * of the older one. Null means that the order is right, or that a release has no dates.
 */
export function reversedReleases(before: DatedRelease, after: DatedRelease): string | null {
  const [old, recent] = [before.newest_annotation_date, after.newest_annotation_date];
  if (old === null || recent === null || recent >= old) return null;
  return `the newest annotation of ${nameOf(after)} is of ${recent}, that of the old set ${nameOf(before)} of ${old}; give the older release as the old one`;
}

function nameOf({ source, source_version }: DatedRelease): string {
  return `${source} ${source_version}`;
}
