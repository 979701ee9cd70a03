import type { Rejection } from '../formats/index.js';
import { aspectOf, type OboTerm } from './obo-document.js';
import { contextOf, quotedText, unescapeObo, withoutTrailer } from './obo-text.js';

/** Turns lines of an OBO file into header tags and draft terms. References are checked later. */
export class StanzaReader {
  readonly header: Record<string, string[]> = {};
  readonly terms: OboTerm[] = [];
  /** The line of each parent: `parentLines[t][p]` belongs to `terms[t].parents[p]`. */
  readonly parentLines: number[][] = [];
  readonly rejected: Rejection[] = [];
  #stanza: 'header' | 'term' | 'other' = 'header';
  #term: OboTerm | null = null;
  #linesOfParents: number[] = [];
  /** The values that the open term already has in lists, as tag and id. */
  readonly #listed = new Set<string>();
  #held = '';
  #heldLine = 0;

  /** Reads one line without its line end. A backslash at the end joins the line with the next one. */
  read(line: string, lineNumber: number): void {
    if (endsEscaping(line)) {
      if (this.#held === '') this.#heldLine = lineNumber;
      this.#held += line.slice(0, -1);
    } else if (this.#held !== '') {
      const joined = this.#held + line;
      this.#held = '';
      this.#readJoined(joined, this.#heldLine);
    } else this.#readJoined(line, lineNumber);
  }

  finish(lineCount: number): void {
    if (this.#held !== '') this.#reject(lineCount, 'the file ends within a line that was to be continued');
    this.#closeTerm();
  }

  #readJoined(line: string, lineNumber: number): void {
    const first = line.charCodeAt(0);
    if (Number.isNaN(first) || first === 33) return;
    if (first === 91) {
      this.#closeTerm();
      this.#stanza = line.startsWith('[Term]') ? 'term' : 'other';
      if (this.#stanza === 'term') {
        this.#term = emptyTerm(lineNumber);
        this.#linesOfParents = [];
        this.#listed.clear();
      }
      return;
    }
    if (this.#stanza === 'other' || line.trim() === '') return;
    const colon = line.indexOf(':');
    if (colon <= 0) {
      this.#reject(lineNumber, `expected "tag: value", found ${JSON.stringify(line.slice(0, 40))}`);
      return;
    }
    const tag = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (this.#term === null) this.#readHeader(tag, value);
    else this.#readTag(this.#term, tag, value, lineNumber);
  }

  #readHeader(tag: string, value: string): void {
    const key = tag.toLowerCase();
    if (Object.hasOwn(this.header, key)) this.header[key].push(value);
    else this.header[key] = [value];
  }

  #readTag(term: OboTerm, tag: string, value: string, line: number): void {
    switch (tag) {
      case 'id':
        if (term.id !== '') this.#reject(line, 'a second id in one term');
        else term.id = unescapeObo(withoutTrailer(value));
        break;
      case 'name':
        term.name = unescapeObo(withoutTrailer(value));
        break;
      case 'namespace':
        term.namespace = withoutTrailer(value);
        break;
      case 'def':
        term.definition = quotedText(value);
        if (term.definition === null) this.#reject(line, 'def: expected a text in quotes');
        break;
      case 'is_obsolete':
        term.isObsolete = withoutTrailer(value) === 'true';
        break;
      case 'is_a':
        if (!this.#isOfContext(value, line)) this.#addParent(term, 'is_a', withoutTrailer(value), line);
        break;
      case 'relationship': {
        if (this.#isOfContext(value, line)) break;
        const [relation, id, ...rest] = withoutTrailer(value).split(/\s+/);
        if (id === undefined || rest.length > 0)
          this.#reject(line, 'relationship: expected a relation and one id');
        else this.#addParent(term, relation, id, line);
        break;
      }
      default:
        this.#readList(term, tag, value, line);
    }
  }

  #readList(term: OboTerm, tag: string, value: string, line: number): void {
    let list: string[];
    if (tag === 'alt_id') list = term.altIds;
    else if (tag === 'replaced_by') list = term.replacedBy;
    else if (tag === 'consider') list = term.consider;
    else if (tag === 'subset') list = term.subsets;
    else return; // Synonyms, cross-references and other tags are not part of the document.
    const id = withoutTrailer(value);
    if (id === '' || /\s/.test(id)) this.#reject(line, `${tag}: expected one id`);
    else if (this.#isFirst(tag, id)) list.push(id);
  }

  /**
   * Recognises a relation that holds only together with another one (OBO 1.4, 5.2.2), for example in one taxon. It does not hold for the
   * term.
   */
  #isOfContext(value: string, line: number): boolean {
    const filler = contextOf(value);
    if (filler === null) return false;
    this.#reject(line, `holds only in the context of ${filler} (gci_relation): no relation of the term`);
    return true;
  }

  #addParent(term: OboTerm, relation: string, id: string, line: number): void {
    if (id === '' || /\s/.test(id)) {
      this.#reject(line, `${relation}: expected one id, found ${JSON.stringify(id.slice(0, 40))}`);
    } else if (this.#isFirst(relation, id)) {
      term.parents.push({ id, relation });
      this.#linesOfParents.push(line);
    }
  }

  #isFirst(tag: string, id: string): boolean {
    const key = `${tag}\t${id}`;
    if (this.#listed.has(key)) return false;
    this.#listed.add(key);
    return true;
  }

  #closeTerm(): void {
    const term = this.#term;
    this.#term = null;
    if (term === null) return;
    if (term.id === '') {
      this.rejected.push({ line: term.line, record: null, reason: 'a [Term] without an id' });
      return;
    }
    if (term.name === '') {
      this.rejected.push({
        line: term.line,
        record: term.id,
        reason: namelessTerm,
      });
      term.name = term.id;
    }
    term.namespace ??= this.header['default-namespace']?.[0] ?? null;
    term.aspect = aspectOf(term.namespace);
    this.terms.push(term);
    this.parentLines.push(this.#linesOfParents);
  }

  #reject(line: number, reason: string): void {
    this.rejected.push({ line, record: this.#term?.id || null, reason });
  }
}

/** The reason of a rejection that leaves nothing out. */
export const namelessTerm = 'a [Term] without a name; its id is used';

/** Says whether the last character is a backslash that no other one escapes. */
function endsEscaping(line: string): boolean {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\\') end--;
  return (line.length - end) % 2 === 1;
}

function emptyTerm(line: number): OboTerm {
  return {
    id: '',
    name: '',
    namespace: null,
    aspect: null,
    definition: null,
    altIds: [],
    isObsolete: false,
    replacedBy: [],
    consider: [],
    subsets: [],
    parents: [],
    line,
  };
}
