import { type Resource, resources, type Section } from './resources.js';

/** Returns the parts of a page, the first of which is what it opens with. */
export const partsOf = (section: Section): readonly Resource[] =>
  resources.filter((one) => one.section === section);

/** Says where a part is: the route of its page, and its key, which the first part of a page does not have in its address. */
export function addressOf({ section, key }: Pick<Resource, 'section' | 'key'>) {
  const isFirst = partsOf(section)[0]?.key === key;
  return { to: `/${section}/{-$part}` as const, params: { part: isFirst ? undefined : key } };
}

export const pathOfPart = (part: Pick<Resource, 'section' | 'key'>): string => {
  const { params } = addressOf(part);
  return [`/${part.section}`, ...(params.part === undefined ? [] : [params.part])].join('/');
};

/** Says where a part is that had the address /workbench/<key>. An unknown key leads to the page Evaluate, as the workbench did. */
export const addressOfFormer = (key: string) =>
  addressOf(resources.find((one) => one.key === key) ?? { section: 'evaluate', key: 'experiments' });
