/** A version of a reference, by the hash of its content; null where that was not computed. */
export interface ReferenceVersion {
  name: string;
  version: string;
  content_sha256: string | null;
}

/** What files, replies and pages that are kept say of the reference that they were made with. */
export function referenceText({ name, version, content_sha256: hash }: ReferenceVersion): string {
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}
