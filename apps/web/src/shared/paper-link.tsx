import { paperAddress } from './links.js';

/** Shows the origin of an annotation: a paper is linked, and everything else is named as the annotation file names it. */
export function PaperLink({ reference }: { reference: string | null }) {
  if (reference === null) return 'none';
  const address = paperAddress(reference);
  if (address === null) return reference;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {reference}
    </a>
  );
}
