/** A version of a reference, by the hash of its content, which is null if it was not computed. */
export interface ReferenceVersion {
  name: string;
  version: string;
  content_sha256: string | null;
}

/** Names the reference with which files, replies and pages were made, for the people who keep them. */
export function referenceText({ name, version, content_sha256: hash }: ReferenceVersion): string {
  return `${name}@${version}${hash === null ? '' : `, SHA-256 ${hash}`}`;
}
