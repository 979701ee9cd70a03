import { isSpace, LineScanner, textOf } from './lines.js';
import { type TermStatements, TermTable } from './term-table.js';

const tags = [
  'id',
  'is_a',
  'alt_id',
  'namespace',
  'is_obsolete',
  'relationship',
  'default-namespace',
] as const;
type Tag = (typeof tags)[number];
const tagsByLength = Array.from({ length: 18 }, (_, length) => tags.find((tag) => tag.length === length));
const openingBracket = 91;
const exclamationMark = 33;
const colon = 58;

/**
 * Reads the terms of an OBO stream: is_a and part_of links, alternative ids, namespaces; nothing else, so it is quick.
 *
 * With `published` the line reading of the published evaluators is repeated, sharp edges included: stanza headers play
 * no role, any `is_obsolete` line drops the term, a modifier after an is_a parent (`{...}`) loses the link, and
 * `part_of` is matched as a prefix. Without it OBO is read as the format says; `default-namespace` of the header stands
 * in only where no term of the file has a namespace.
 */
export class OboTermReader {
  private readonly published: boolean;
  private readonly scanner = new LineScanner((bytes, start, end) => this.onLine(bytes, start, end));
  private readonly table = new TermTable();
  private isOpen = false;
  private keep = false;
  private hasNamespace = false;
  private anyNamespace = false;
  private isTermStanza = false;
  private defaultNamespace = -1;

  constructor(options: { published: boolean }) {
    this.published = options.published;
  }

  push(chunk: Uint8Array): void {
    this.scanner.push(chunk);
  }

  end(): TermStatements {
    this.scanner.end();
    this.close();
    return this.table.statements(this.published || this.anyNamespace ? -1 : this.defaultNamespace);
  }

  private close(): void {
    if (this.isOpen) this.table.close(this.keep);
    if (this.isOpen && this.keep && this.hasNamespace) this.anyNamespace = true;
    this.isOpen = false;
  }

  private onLine(bytes: Uint8Array, lineStart: number, lineEnd: number): void {
    let start = lineStart;
    let end = lineEnd;
    while (start < end && isSpace(bytes[start])) start++;
    while (end > start && isSpace(bytes[end - 1])) end--;
    if (bytes[start] === openingBracket) {
      if (this.published) return;
      this.close();
      this.isTermStanza = textOf(bytes, start, end) === '[Term]';
      return;
    }
    const tag = tagOf(bytes, start, end);
    if (!tag) return;
    let from = start + tag.length + 2;
    while (!this.published && from < end && isSpace(bytes[from])) from++;
    if (tag === 'id') this.onId(bytes, from, end);
    else if (tag === 'default-namespace') this.onDefaultNamespace(bytes, from, end);
    else if (this.isOpen) this.onTag(tag, bytes, from, end);
  }

  private onId(bytes: Uint8Array, from: number, end: number): void {
    this.close();
    this.table.open(this.table.ids.add(bytes, from, this.valueEnd(bytes, from, end)));
    this.isOpen = true;
    this.keep = this.published || this.isTermStanza;
    this.hasNamespace = false;
  }

  private onDefaultNamespace(bytes: Uint8Array, from: number, end: number): void {
    if (this.defaultNamespace < 0)
      this.defaultNamespace = this.table.namespaces.add(bytes, from, wordEnd(bytes, from, end));
  }

  private onTag(tag: Tag, bytes: Uint8Array, from: number, end: number): void {
    const { table, published } = this;
    const to = this.valueEnd(bytes, from, end);
    if (tag === 'namespace') {
      if (textOf(bytes, from, to) === 'external') return;
      table.setNamespace(table.namespaces.add(bytes, from, to));
      this.hasNamespace = true;
    } else if (tag === 'alt_id') table.addAlternative(table.ids.add(bytes, from, to));
    else if (tag === 'is_obsolete') {
      if (published || textOf(bytes, from, to) === 'true') this.keep = false;
    } else if (tag === 'is_a') {
      const [parentFrom, parentTo] = published ? beforeComment(bytes, from, end) : [from, to];
      table.addParent(table.ids.add(bytes, parentFrom, parentTo));
    } else this.onRelationship(bytes, from, end);
  }

  private onRelationship(bytes: Uint8Array, from: number, end: number): void {
    const [relation, target] = textOf(bytes, from, end).trim().split(/\s+/);
    const isPart = this.published ? relation.startsWith('part_of') : relation === 'part_of';
    if (isPart && target) this.table.addParent(this.table.ids.addText(target));
  }

  /** Identifiers hold no blank; the published programs take the value whole. */
  private valueEnd(bytes: Uint8Array, from: number, end: number): number {
    return this.published ? end : wordEnd(bytes, from, end);
  }
}

/** The tag before the first ": " if it is one of those above (told by length, then in full); most lines have another. */
function tagOf(bytes: Uint8Array, start: number, end: number): Tag | undefined {
  let at = start;
  const last = Math.min(end - 2, start + tagsByLength.length - 1);
  while (at <= last && bytes[at] !== colon) at++;
  const tag = tagsByLength[at - start];
  if (at > last || tag === undefined || bytes[at + 1] !== 32) return undefined;
  for (let i = 0; i < tag.length; i++) if (bytes[start + i] !== tag.charCodeAt(i)) return undefined;
  return tag;
}

function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let to = from;
  while (to < end && !isSpace(bytes[to])) to++;
  return to;
}

function beforeComment(bytes: Uint8Array, start: number, end: number): [number, number] {
  let from = start;
  let to = from;
  while (to < end && bytes[to] !== exclamationMark) to++;
  while (from < to && isSpace(bytes[from])) from++;
  while (to > from && isSpace(bytes[to - 1])) to--;
  return [from, to];
}
