import { ByteIndex, GrowingInt32 } from '../../arrays/index.js';
import { LineScanner } from '../../formats/index.js';
import type { OntologyColumns } from '../../ontology/index.js';
import { isSpace, textOf } from './fields.js';

const tags = ['id', 'is_a', 'alt_id', 'namespace', 'is_obsolete', 'relationship'] as const;
type Tag = (typeof tags)[number];
const tagsByLength = Array.from({ length: 13 }, (_, length) => tags.find((tag) => tag.length === length));
const exclamationMark = 33;
const colon = 58;

/**
 * Reads OBO line by line as the published evaluators do, so that their results can be reproduced exactly. For anything else, use
 * `readObo`. Its quirks are intentional: stanza headers are ignored (a Typedef with a namespace is a term), any `is_obsolete` line drops
 * the term, a modifier after an is_a parent (`{...}`) loses the link, `part_of` is matched as a prefix, the value of an id includes its
 * comment, and if an id occurs twice in a namespace, the first one defines the position and the last one the contents.
 *
 * The cost is O(bytes); no string is made for a line.
 */
export class PublishedOboReader {
  readonly #scanner = new LineScanner((bytes, start, end) => this.#onLine(bytes, start, end));
  readonly #ids = new ByteIndex(1 << 16);
  readonly #namespaces = new ByteIndex(16);
  readonly #statements = new Statements();
  #isOpen = false;

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  end(): OntologyColumns {
    this.#scanner.end();
    return this.#statements.columns(this.#ids, this.#namespaces);
  }

  #onLine(bytes: Uint8Array, lineStart: number, lineEnd: number): void {
    const [start, end] = trimmed(bytes, lineStart, lineEnd);
    const tag = tagOf(bytes, start, end);
    if (tag === undefined) return;
    const from = start + tag.length + 2;
    if (tag === 'id') {
      this.#statements.open(this.#ids.add(bytes, from, end));
      this.#isOpen = true;
    } else if (this.#isOpen) this.#onTag(tag, bytes, from, end);
  }

  // oxlint-disable-next-line eslint/max-params -- a tag and the place of its value, once a line
  #onTag(tag: Tag, bytes: Uint8Array, from: number, end: number): void {
    const statements = this.#statements;
    if (tag === 'namespace') {
      if (textOf(bytes, from, end) !== 'external')
        statements.setNamespace(this.#namespaces.add(bytes, from, end));
    } else if (tag === 'alt_id') statements.alternatives.push(this.#ids.add(bytes, from, end));
    else if (tag === 'is_obsolete') statements.setObsolete();
    else if (tag === 'is_a') {
      const [parentFrom, parentTo] = beforeComment(bytes, from, end);
      statements.parents.push(this.#ids.add(bytes, parentFrom, parentTo));
    } else {
      const [relation, target] = textOf(bytes, from, end).trim().split(/\s+/);
      if (relation.startsWith('part_of') && target) statements.parents.push(this.#ids.addText(target));
    }
  }
}

/** All statements of the file about each id. Identifiers and namespaces are numbers. */
class Statements {
  readonly alternatives = new GrowingInt32();
  readonly parents = new GrowingInt32();
  readonly #id = new GrowingInt32();
  /** The namespace of each term; -1 if it has none. */
  readonly #namespace = new GrowingInt32();
  readonly #obsolete = new GrowingInt32();
  readonly #alternativeStart = new GrowingInt32();
  readonly #parentStart = new GrowingInt32();

  open(id: number): void {
    this.#id.push(id);
    this.#namespace.push(-1);
    this.#obsolete.push(0);
    this.#alternativeStart.push(this.alternatives.length);
    this.#parentStart.push(this.parents.length);
  }
  setNamespace(namespace: number): void {
    this.#namespace.set(this.#namespace.length - 1, namespace);
  }
  setObsolete(): void {
    this.#obsolete.set(this.#obsolete.length - 1, 1);
  }

  columns(ids: ByteIndex, namespaces: ByteIndex): OntologyColumns {
    this.#alternativeStart.push(this.alternatives.length);
    this.#parentStart.push(this.parents.length);
    const { rows, numberOf } = this.#rows(namespaces.size);
    const edgeChild = new GrowingInt32();
    const edgeParent = new GrowingInt32();
    const alternative = new GrowingInt32();
    const altTerms = new GrowingInt32();
    rows.forEach((s, row) => {
      for (let i = this.#parentStart.at(s); i < this.#parentStart.at(s + 1); i++) {
        // A parent counts only in the namespace of its child.
        const parent = numberOf.get(this.parents.at(i) * namespaces.size + this.#namespace.at(s));
        if (parent === undefined) continue;
        edgeChild.push(row);
        edgeParent.push(parent);
      }
      for (let i = this.#alternativeStart.at(s); i < this.#alternativeStart.at(s + 1); i++) {
        alternative.push(this.alternatives.at(i));
        altTerms.push(row);
      }
    });
    const order = [...new Set(rows.map((s) => this.#namespace.at(s)))];
    return {
      termIds: rows.map((s) => ids.textOf(this.#id.at(s))),
      namespaces: order.map((number) => namespaces.textOf(number)),
      namespace: Uint8Array.from(rows, (s) => order.indexOf(this.#namespace.at(s))),
      obsolete: new Uint8Array(rows.length),
      edgeChild: edgeChild.finish(),
      edgeParent: edgeParent.finish(),
      edgeRelation: new Uint8Array(edgeChild.length),
      relationNames: ['is_a'],
      altIds: Array.from(alternative.view(), (id) => ids.textOf(id)),
      altTerms: altTerms.finish(),
    };
  }

  /** Returns the statement that counts for each live (id, namespace), in order of first appearance. */
  #rows(namespaceCount: number): { rows: number[]; numberOf: Map<number, number> } {
    const rows: number[] = [];
    const numberOf = new Map<number, number>();
    for (let s = 0; s < this.#id.length; s++) {
      const namespace = this.#namespace.at(s);
      if (namespace < 0 || this.#obsolete.at(s) === 1) continue;
      const key = this.#id.at(s) * namespaceCount + namespace;
      const known = numberOf.get(key);
      if (known === undefined) numberOf.set(key, rows.push(s) - 1);
      else rows[known] = s;
    }
    return { rows, numberOf };
  }
}

/** Returns start and end without white space on either side. */
function trimmed(bytes: Uint8Array, start: number, end: number): [number, number] {
  let from = start;
  let to = end;
  while (from < to && isSpace(bytes[from])) from++;
  while (to > from && isSpace(bytes[to - 1])) to--;
  return [from, to];
}

/** Returns the tag before the first ": " if it is one of the tags above. The length alone rules out most other tags. */
function tagOf(bytes: Uint8Array, start: number, end: number): Tag | undefined {
  let at = start;
  const last = Math.min(end - 2, start + tagsByLength.length - 1);
  while (at <= last && bytes[at] !== colon) at++;
  const tag = tagsByLength[at - start];
  if (at > last || tag === undefined || bytes[at + 1] !== 32) return undefined;
  for (let i = 0; i < tag.length; i++) if (bytes[start + i] !== tag.charCodeAt(i)) return undefined;
  return tag;
}

/** Returns start and end of the value before the first exclamation mark. */
function beforeComment(bytes: Uint8Array, start: number, end: number): [number, number] {
  let to = start;
  while (to < end && bytes[to] !== exclamationMark) to++;
  return trimmed(bytes, start, to);
}
