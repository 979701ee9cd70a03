import { isSpace, LineScanner, textOf } from './lines.js';

/** A term as the evaluation needs it: live, with a namespace; parents by is_a and part_of, unresolved. */
export interface TermRecord {
  id: string;
  namespace: string;
  alternativeIds: string[];
  parentIds: string[];
}

interface Draft {
  id: string;
  stanza: string;
  namespace: string | null;
  obsolete: boolean;
  alternativeIds: string[];
  parentIds: string[];
}

/**
 * Reads the terms of an OBO stream: is_a and part_of links, alternative ids, namespaces.
 *
 * With `published` the line reading of the published evaluators is repeated, sharp edges included: stanza headers play
 * no role, any `is_obsolete` line drops the term, a modifier after an is_a parent (`{...}`) loses the link, and
 * `part_of` is matched as a prefix. Without it OBO is read as the format says; `default-namespace` of the header stands
 * in only where no term of the file has a namespace.
 */
export class OboTermReader {
  private readonly published: boolean;
  private readonly scanner = new LineScanner((bytes, start, end) => this.onLine(bytes, start, end));
  private readonly drafts: Draft[] = [];
  private draft: Draft | null = null;
  private stanza = '';
  private defaultNamespace: string | null = null;

  constructor(options: { published: boolean }) {
    this.published = options.published;
  }

  push(chunk: Uint8Array): void {
    this.scanner.push(chunk);
  }

  /** Terms in file order. */
  end(): TermRecord[] {
    this.scanner.end();
    this.close();
    const terms = this.drafts.filter(
      (draft) => !draft.obsolete && (this.published || draft.stanza === '[Term]'),
    );
    const anyNamespace = terms.some((term) => term.namespace !== null);
    const fallback = this.published || anyNamespace ? null : this.defaultNamespace;
    const records: TermRecord[] = [];
    for (const { id, namespace, alternativeIds, parentIds } of terms) {
      const given = namespace ?? fallback;
      if (given !== null) records.push({ id, namespace: given, alternativeIds, parentIds });
    }
    return records;
  }

  private close(): void {
    if (this.draft) this.drafts.push(this.draft);
    this.draft = null;
  }

  private onLine(bytes: Uint8Array, lineStart: number, lineEnd: number): void {
    let start = lineStart;
    let end = lineEnd;
    while (start < end && isSpace(bytes[start])) start++;
    while (end > start && isSpace(bytes[end - 1])) end--;
    if (bytes[start] === openingBracket) {
      this.onStanza(textOf(bytes, start, end));
      return;
    }
    const tag = tagOf(bytes, start, end);
    if (tag) this.onTag(tag, textOf(bytes, start + tag.length + 2, end));
  }

  private onStanza(header: string): void {
    if (this.published) return;
    this.close();
    this.stanza = header;
  }

  private onTag(tag: string, value: string): void {
    if (tag === 'id') {
      this.close();
      const id = this.published ? value : bare(value);
      this.draft = {
        id,
        stanza: this.stanza,
        namespace: null,
        obsolete: false,
        alternativeIds: [],
        parentIds: [],
      };
      return;
    }
    if (tag === 'default-namespace') this.defaultNamespace ??= bare(value);
    const draft = this.draft;
    if (!draft) return;
    if (tag === 'namespace') {
      if (value !== 'external') draft.namespace = this.published ? value : bare(value);
    } else if (tag === 'alt_id') draft.alternativeIds.push(this.published ? value : bare(value));
    else if (tag === 'is_obsolete') draft.obsolete ||= this.published || bare(value) === 'true';
    else if (tag === 'is_a')
      draft.parentIds.push(this.published ? value.split('!', 1)[0].trim() : bare(value));
    else if (tag === 'relationship') {
      const words = value.trim().split(/\s+/);
      const isPart = this.published ? value.startsWith('part_of') : words[0] === 'part_of';
      if (isPart && words[1]) draft.parentIds.push(words[1]);
    }
  }
}

const openingBracket = 91;
const tags = ['id', 'is_a', 'alt_id', 'namespace', 'is_obsolete', 'relationship', 'default-namespace'];
const tagsByLength = Array.from({ length: 18 }, (_, length) => tags.find((tag) => tag.length === length));

/** The tag before the first ": " if it is one of those above (told by length, then in full); most lines have another. */
function tagOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  let colon = start;
  const last = Math.min(end - 2, start + tagsByLength.length - 1);
  while (colon <= last && bytes[colon] !== 58) colon++;
  const tag = tagsByLength[colon - start];
  if (colon > last || tag === undefined || bytes[start] !== tag.charCodeAt(0) || bytes[colon + 1] !== 32)
    return undefined;
  return textOf(bytes, start, colon) === tag ? tag : undefined;
}

/** The first word: identifiers hold no blank; a modifier or a comment may follow. */
function bare(value: string): string {
  return value.trim().split(/\s/, 1)[0];
}
