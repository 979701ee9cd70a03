import { glossary } from '@kindred/contracts/glossary';

/** An entry that the palette offers. */
export interface Command {
  group: 'Go to' | 'Your runs' | 'Glossary';
  label: string;
  about?: string;
  /** The address of the target; null for an entry that is only read. */
  to: string | null;
  /** Whether the entry is a page of the service outside the client. */
  isPlain?: true | undefined;
}

/** A page, a part of one, or a run. */
export interface Place {
  label: string;
  to: string;
  /** Whether the service itself serves the page, outside the client; `to` is then the whole path. */
  isPlain?: true;
}

/** The maximum number of entries in each group. */
const most = 6;

/** The places that the palette knows. Parts of pages are found by their names only, because there are many. */
export interface Places {
  pages: readonly Place[];
  parts: readonly Place[];
  runs: readonly Place[];
}

/**
 * Returns the commands that fit a text: pages, their parts and runs by a part of their name, words of the glossary by a part of the word,
 * and a GO id or an accession by itself. Without a text these are the pages and runs.
 */
export function commandsFor(text: string, { pages, parts, runs }: Places): Command[] {
  const asked = text.trim().toLowerCase();
  const fits = (label: string) => label.toLowerCase().includes(asked);
  const placesOf = (group: Command['group'], places: readonly Place[]): Command[] =>
    places.filter(({ label }) => fits(label)).map((place) => ({ group, ...place }));
  const words = asked === '' ? [] : Object.entries(glossary).filter(([word]) => fits(word));
  return [
    ...addressed(text.trim()),
    ...placesOf('Go to', pages),
    ...(asked === '' ? [] : placesOf('Go to', parts).slice(0, most)),
    ...placesOf('Your runs', runs).slice(0, most),
    ...words.slice(0, most).map(([label, about]): Command => ({ group: 'Glossary', label, about, to: null })),
  ];
}

const goId = /^(?:GO:)?(\d{7})$/i;
/** The pattern of accessions: six letters and digits or more, with at least one of each. */
const accession = /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{6,10}(?:-\d+)?$/i;

function addressed(text: string): Command[] {
  const term = goId.exec(text)?.[1];
  if (term !== undefined) return [{ group: 'Go to', label: `Term GO:${term}`, to: `/go/GO:${term}` }];
  if (!accession.test(text)) return [];
  return [{ group: 'Go to', label: `Protein ${text.toUpperCase()}`, to: `/proteins/${text.toUpperCase()}` }];
}
