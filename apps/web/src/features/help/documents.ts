/** The sections of the documentation, by `section/name`. It is part of the client, so that it describes this version. */
export const sections = {
  tutorial: 'Begin',
  'how-to': 'How to',
  explanation: 'How it works',
  reference: 'Reference',
} as const;
export type HelpSection = keyof typeof sections;

export interface HelpDocument {
  section: HelpSection;
  name: string;
  title: string;
  text: string;
}

const prefix = /^.*\/docs\/([\w-]+)\/([\w-]+)\.md$/;

/** Makes documents from their texts by path, in the order of sections and titles. */
export function documentsOf(texts: Readonly<Record<string, string>>): HelpDocument[] {
  const found = Object.entries(texts).flatMap(([path, text]): HelpDocument[] => {
    const [, section = '', name = ''] = prefix.exec(path) ?? [];
    const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
    return title === undefined || !isSection(section) ? [] : [{ section, name, title, text }];
  });
  const places = Object.keys(sections);
  return found.sort(
    (a, b) => places.indexOf(a.section) - places.indexOf(b.section) || (a.title < b.title ? -1 : 1),
  );
}

export function isSection(text: string): text is HelpSection {
  return Object.hasOwn(sections, text);
}

/** Returns the documents that have all words. */
export function searchDocuments(documents: readonly HelpDocument[], asked: string): HelpDocument[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = (document: HelpDocument) => `${document.title}\n${document.text}`.toLowerCase();
  return documents.filter((document) => words.every((word) => texts(document).includes(word)));
}

/** The target of a link in a document. */
export type HelpTarget =
  | { kind: 'page'; section: HelpSection; name: string; hash: string }
  | { kind: 'address'; address: string };

/** Finds the target of a link; undefined if it is not part of the client, such as a file of the repository. */
export function targetOf(
  to: string,
  from: Pick<HelpDocument, 'section' | 'name'>,
  documents: readonly Pick<HelpDocument, 'section' | 'name'>[],
): HelpTarget | undefined {
  if (/^https?:/.test(to)) return { kind: 'address', address: to };
  const { pathname, hash } = new URL(to, `https://docs.invalid/docs/${from.section}/${from.name}.md`);
  const [, section = '', name = ''] = prefix.exec(pathname) ?? [];
  const found = documents.find((one) => one.section === section && one.name === name);
  if (found === undefined) return undefined;
  return { kind: 'page', section: found.section, name, hash: hash.slice(1) };
}
