import {
  FormatError,
  lineBatches,
  type LineOptions,
  type Rejection,
  splitLines,
  type TextSource,
} from '../formats/index.js';
import { adjacencyOf } from './adjacency.js';
import { orderParentsFirst } from './cycle.js';
import type { OboDocument, OboTerm } from './obo-document.js';
import { propagatingRelations } from './relations.js';
import { StanzaReader } from './obo-stanzas.js';

export interface OboOptions extends LineOptions {
  /** Whether to accept a header without data-version and date, too; the version is then empty. @default false */
  allowUnversioned?: boolean;
}

/**
 * Reads OBO 1.2 and 1.4. Every relation becomes an edge with its name; `[Typedef]` and other stanzas, synonyms,
 * cross-references and intersections are not part of the document. `rejected` lists lines that cannot be read, terms without
 * an id, relations that hold only in a context (`gci_relation`), a second stanza with the same id (the first one is kept), edges to a
 * missing or obsolete term (left out), and missing names.
 *
 * The cost is O(bytes); the whole document is in memory (go-basic: 47,000 terms, about 60 MB).
 * @throws FormatError without a term, without data-version and date (see the option), for a cycle of is_a and part_of (which it names),
 * or for a line that is too long
 */
export async function readObo(source: TextSource, options: OboOptions = {}): Promise<OboDocument> {
  const reader = new StanzaReader();
  let count = 0;
  for await (const { firstLine, lines } of lineBatches(source, options)) {
    for (let i = 0; i < lines.length; i++) reader.read(lines[i], firstLine + i);
    count = firstLine + lines.length - 1;
  }
  return assemble(reader, count, options);
}

/** Reads a whole text or bytes as `readObo` reads a stream. @throws FormatError */
export function parseObo(
  source: string | Uint8Array | Iterable<Uint8Array>,
  options: OboOptions = {},
): OboDocument {
  const reader = new StanzaReader();
  const lines = splitLines(source, options);
  for (let i = 0; i < lines.length; i++) reader.read(lines[i], i + 1);
  return assemble(reader, lines.length, options);
}

function assemble(reader: StanzaReader, lineCount: number, options: OboOptions): OboDocument {
  reader.finish(lineCount);
  const { header, rejected } = reader;
  if (reader.terms.length === 0) {
    throw new FormatError({
      line: Math.max(lineCount, 1),
      record: null,
      reason: 'no [Term] stanza; is this an OBO file?',
    });
  }
  const version = versionOf(header) ?? (options.allowUnversioned ? '' : null);
  if (version === null) {
    const reason =
      'the header has neither data-version nor date, so the release is unknown; add "data-version: ..."';
    throw new FormatError({ line: 1, record: null, reason });
  }
  const byId = new Map<string, OboTerm>();
  reader.terms.forEach((term) => {
    const first = byId.get(term.id);
    if (first === undefined) byId.set(term.id, term);
    else
      rejected.push({
        line: term.line,
        record: term.id,
        reason: `id occurs twice, first in line ${first.line}`,
      });
  });
  reader.terms.forEach((term, i) => keepKnownParents(term, reader.parentLines[i], byId, rejected));
  const terms = [...byId.values()];
  refuseCycle(terms, byId);
  rejected.sort((a, b) => a.line - b.line);
  return { version, header, terms, rejected };
}

function keepKnownParents(
  term: OboTerm,
  lines: number[],
  byId: Map<string, OboTerm>,
  rejected: Rejection[],
): void {
  const faults = term.parents.map(({ id, relation }) => {
    const target = byId.get(id);
    if (target === undefined) return `${relation} ${id}: no such term in this file`;
    if (term.isObsolete) return `${relation} ${id}: an obsolete term has no relations`;
    return target.isObsolete ? `${relation} ${id}: that term is obsolete` : null;
  });
  if (faults.every((fault) => fault === null)) return;
  faults.forEach((reason, i) => {
    if (reason !== null) rejected.push({ line: lines[i], record: term.id, reason });
  });
  term.parents = term.parents.filter((_, i) => faults[i] === null);
}

function refuseCycle(terms: OboTerm[], byId: Map<string, OboTerm>): void {
  const row = new Map([...byId.keys()].map((id, i) => [id, i]));
  const children: number[] = [];
  const parents: number[] = [];
  terms.forEach((term, i) => {
    for (const parent of term.parents) {
      if (!propagatingRelations.includes(parent.relation)) continue;
      children.push(i);
      parents.push(row.get(parent.id) as number);
    }
  });
  const { cycle } = orderParentsFirst(adjacencyOf(terms.length, children, parents));
  if (cycle === null) return;
  const path = cycle.map((i) => terms[i].id).join(' -> ');
  const { id, line } = terms[cycle[0]];
  throw new FormatError({ line, record: id, reason: `is_a and part_of form a cycle: ${path}` });
}

function versionOf(header: Record<string, string[]>): string | null {
  const version = header['data-version']?.[0];
  if (version) return version;
  const date = header.date?.[0] ?? '';
  const parts = /^(\d{2}):(\d{2}):(\d{4})\b/.exec(date);
  return parts === null ? date || null : `${parts[3]}-${parts[2]}-${parts[1]}`;
}
