import type { OntologyAspect, Rejection } from '../formats/index.js';

export type { OntologyAspect };

/** A relation to another term of the same document. */
export interface OboParent {
  id: string;
  /** `is_a`, `part_of`, `regulates`, ... as in the file. */
  relation: string;
}

export interface OboTerm {
  id: string;
  name: string;
  /** `biological_process`, ...; the default-namespace if the term has none. */
  namespace: string | null;
  /** null for ontologies other than GO. */
  aspect: OntologyAspect | null;
  definition: string | null;
  altIds: string[];
  isObsolete: boolean;
  replacedBy: string[];
  consider: string[];
  subsets: string[];
  /** Parents in the order of the file, without repeats; none for obsolete terms. */
  parents: OboParent[];
  /** 1-based line of the `[Term]`. */
  line: number;
}

export interface OboDocument {
  /** `data-version` unchanged; without one the `date` header as YYYY-MM-DD. */
  version: string;
  /** Header tags in lower case, each with all values. */
  header: Record<string, string[]>;
  /** Terms in the order of the file, one per id. */
  terms: OboTerm[];
  /** Lines and stanzas that were left out, and why. */
  rejected: Rejection[];
}

const aspectOfNamespace: Record<string, OntologyAspect> = {
  biological_process: 'P',
  molecular_function: 'F',
  cellular_component: 'C',
};

export function aspectOf(namespace: string | null): OntologyAspect | null {
  return namespace !== null && Object.hasOwn(aspectOfNamespace, namespace)
    ? aspectOfNamespace[namespace]
    : null;
}
