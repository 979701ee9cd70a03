import { type ReferenceVersion, referenceText } from '@kindred/contracts/reference-words';
import type { FastifyReply } from 'fastify';

/** Digits of a content hash in file names and lists. */
const shownDigits = 12;

/**
 * Name of a download that says which references its content comes from: tables of fixed columns have no other place for it. The header
 * Kindred-Reference of the reply has the whole hashes.
 */
export function markedFile(
  reply: FastifyReply,
  { name, extension }: { name: string; extension: string },
  marks: readonly (ReferenceVersion | null)[],
): string {
  const known = marks.filter((mark) => mark !== null);
  if (known.length === 0) return `${name}.${extension}`;
  reply.header('kindred-reference', known.map(referenceText).join('; '));
  const short = known.map(({ name: own, version, content_sha256: hash }) =>
    [`${own}@${version}`, ...(hash === null ? [] : [hash.slice(0, shownDigits)])].join('_'),
  );
  return `${[name, ...short].join('_')}.${extension}`;
}
