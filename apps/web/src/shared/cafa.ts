import { aspectOfCafa, type CafaAspect, type Category } from '@kindred/contracts/vocabulary';
import { aspectNames } from './aspect.js';

/** Headings for the prior knowledge of a protein. */
export const categoryNames: Readonly<Record<Category, string>> = {
  NK: 'No knowledge',
  LK: 'Limited knowledge',
  PK: 'Partial knowledge',
};

/** A category of a reply in words; a service may be set up with others, which stay as they are. */
export function categoryName(category: string): string {
  return categoryNames[category as Category] ?? category;
}

/** An aspect as the assessments write it (BPO) in words; others stay as they are. */
export function cafaAspectName(aspect: string): string {
  const own = aspectOfCafa[aspect as CafaAspect];
  return own === undefined ? aspect : aspectNames[own];
}
