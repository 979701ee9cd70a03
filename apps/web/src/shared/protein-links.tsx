import { Fragment } from 'react';
import { proteinPages } from './links.js';

/** Links a protein to its pages in other databases; nothing if its accession is not one of UniProt. */
export function ProteinLinks({ accession }: { accession: string }) {
  return proteinPages(accession).map(({ name, address }, at) => (
    <Fragment key={name}>
      {at > 0 && ' · '}
      <a href={address} target="_blank" rel="noreferrer">
        {name}
      </a>
    </Fragment>
  ));
}
