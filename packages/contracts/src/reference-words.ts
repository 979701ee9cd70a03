/** A version of a reference, by the hash of its content; null where that was not computed. */
export interface ReferenceVersion {
  name: string;
  version: string;
  content_sha256: string | null;
}

/** Names the reference with which files, replies and pages were made, for what is kept of them. */
export function referenceText({ name, version, content_sha256: hash }: ReferenceVersion): string {
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}
