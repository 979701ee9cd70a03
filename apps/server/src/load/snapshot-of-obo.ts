import { type Aspect, goIdPattern, ProblemError } from '@kindred/contracts';
import type { Rejection } from '@kindred/kernels/formats';
import type { OboDocument, OboTerm } from '@kindred/kernels/ontology';
import type { NewSnapshot, NewTerm } from '../store/ontology/ontology-load.repository.js';

export interface SnapshotDraft {
  snapshot: NewSnapshot;
  /** The snapshot lacks these parts of the file, listed by line. */
  rejected: Rejection[];
}

type GoTerm = OboTerm & { aspect: Aspect };

/**
 * Makes the rows of a snapshot. Terms outside GO (other ids or namespaces) are skipped with their edges; an
 * alternative id of two terms belongs to the first.
 * @throws ProblemError bad_file if no GO term is left
 */
export function snapshotOf(document: OboDocument, file: { url: string; sha256: string }): SnapshotDraft {
  const rejected = [...document.rejected];
  const terms = document.terms.filter((term): term is GoTerm => isGoTerm(term, rejected));
  if (terms.length === 0) {
    throw new ProblemError(
      'bad_file',
      `${file.url} has ${document.terms.length} terms, none of them of the Gene Ontology (GO: and seven digits, in one of its three namespaces).`,
    );
  }
  const known = new Set(terms.map((term) => term.id));
  const altIds = collectAltIds(terms, known, rejected);
  const termCounts = { P: 0, F: 0, C: 0, obsolete: 0 };
  for (const term of terms) termCounts[term.isObsolete ? 'obsolete' : term.aspect]++;
  rejected.sort((a, b) => a.line - b.line);
  return {
    snapshot: {
      oboVersion: document.version,
      oboUrl: file.url,
      oboSha256: file.sha256,
      termCounts,
      terms: terms.map((term) => toRow(term, known, rejected)),
      altIds,
    },
    rejected,
  };
}

function isGoTerm(term: OboTerm, rejected: Rejection[]): boolean {
  let reason: string | null = null;
  if (!goIdPattern.test(term.id)) reason = 'the id is not GO: and seven digits';
  else if (term.aspect === null)
    reason = `the namespace ${term.namespace ?? '(none)'} is not one of the Gene Ontology's`;
  if (reason !== null) rejected.push({ line: term.line, record: term.id, reason });
  return reason === null;
}

function collectAltIds(
  terms: readonly GoTerm[],
  known: ReadonlySet<string>,
  rejected: Rejection[],
): Map<string, string> {
  const altIds = new Map<string, string>();
  for (const term of terms) {
    for (const altId of term.altIds) {
      const other = known.has(altId) ? altId : altIds.get(altId);
      if (other === undefined) altIds.set(altId, term.id);
      else {
        const reason = `alt_id ${altId} belongs to ${other}`;
        rejected.push({ line: term.line, record: term.id, reason });
      }
    }
  }
  return altIds;
}

function toRow(term: GoTerm, known: ReadonlySet<string>, rejected: Rejection[]): NewTerm {
  const parents = term.parents.filter((parent) => known.has(parent.id));
  if (parents.length < term.parents.length) {
    const reason = 'edges to terms that are not of the Gene Ontology';
    rejected.push({ line: term.line, record: term.id, reason });
  }
  const { id, name, aspect, definition, isObsolete, replacedBy, consider, altIds } = term;
  return { goId: id, name, aspect, definition, isObsolete, replacedBy, consider, altIds, parents };
}
