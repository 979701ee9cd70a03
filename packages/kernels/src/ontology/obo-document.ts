import type { OntologyAspect, Rejection } from '../formats/index.js';

export type { OntologyAspect };

/** A relation to another term of the same document. */
export interface OboParent {
  id: string;
  /** The name as in the file: `is_a`, `part_of`, `regulates`, ... */
  relation: string;
}

export interface OboTerm {
  id: string;
  name: string;
  /** The namespace, such as `biological_process`; the default-namespace if the term has none. */
  namespace: string | null;
  /** The aspect; null for ontologies other than GO. */
  aspect: OntologyAspect | null;
  definition: string | null;
  altIds: string[];
  isObsolete: boolean;
  replacedBy: string[];
  consider: string[];
  subsets: string[];
  /** The parents in the order of the file, without repeats; none for obsolete terms. */
  parents: OboParent[];
  /** The line of the `[Term]`, from 1. */
  line: number;
}

export interface OboDocument {
  /** The value of `data-version`, unchanged; without one, the `date` header as YYYY-MM-DD. */
  version: string;
  /** The header tags in lower case, each with all values. */
  header: Record<string, string[]>;
  /** The terms in the order of the file, one for each id. */
  terms: OboTerm[];
  /** The lines and stanzas that were left out, and why. */
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
