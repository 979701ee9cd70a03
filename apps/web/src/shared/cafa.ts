import { aspectOfCafa, type CafaAspect, type Category } from '@kindred/contracts/vocabulary';
import { aspectNames } from './aspect.js';

/** The headings for the prior knowledge of a protein. */
export const categoryNames: Readonly<Record<Category, string>> = {
  NK: 'No knowledge',
  LK: 'Limited knowledge',
  PK: 'Partial knowledge',
};

/** Returns a category of a reply in words. A service may be set up with other categories, which stay as they are. */
export function categoryName(category: string): string {
  return categoryNames[category as Category] ?? category;
}

/** Returns an aspect as the assessments write it (BPO) in words. Other texts stay as they are. */
export function cafaAspectName(aspect: string): string {
  const own = aspectOfCafa[aspect as CafaAspect];
  return own === undefined ? aspect : aspectNames[own];
}
