import { type ReferenceVersion, referenceText } from '@kindred/contracts/reference-words';
import type { FastifyReply } from 'fastify';

/** File names and lists show this many digits of a content hash. */
const shownDigits = 12;
/** File names have at most 255 characters on most systems. */
const shownReferences = 2;

/**
 * Names a download after the references that its content comes from, because tables of fixed columns have no
 * other place for them. The header Kindred-Reference of the reply has the whole hashes.
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
  const others = short.length - shownReferences;
  const named = [...short.slice(0, shownReferences), ...(others > 0 ? [`and_${others}_more`] : [])];
  return `${[name, ...named].join('_')}.${extension}`;
}
