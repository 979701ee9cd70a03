import { ByteIndex } from './byte-index.js';
import { Int32Buffer } from './growing-list.js';

/** A live term as the evaluation needs it; parents by is_a and part_of. */
export interface TermRecord {
  id: string;
  namespace: string;
  alternativeIds: readonly string[];
  parentIds: readonly string[];
}

/** What a table says of each statement (one per term stanza), with identifiers and namespaces as numbers. int32 */
export interface TermStatements {
  ids: ByteIndex;
  namespaces: ByteIndex;
  idOf: Int32Array;
  /** -1 for none. */
  namespaceOf: Int32Array;
  /** Statement s has alternatives[alternativeStart[s] .. alternativeStart[s + 1]), identifiers. */
  alternativeStart: Int32Array;
  alternatives: Int32Array;
  /** Likewise its parents, known or not. */
  parentStart: Int32Array;
  parents: Int32Array;
}

/** Collects statements about terms; identifiers become numbers at once, so that no text is kept. */
export class TermTable {
  readonly ids = new ByteIndex(1 << 16);
  readonly namespaces = new ByteIndex(16);
  private readonly idOf = new Int32Buffer();
  private readonly namespaceOf = new Int32Buffer();
  private readonly alternativeStart = new Int32Buffer();
  private readonly alternatives = new Int32Buffer();
  private readonly parentStart = new Int32Buffer();
  private readonly parents = new Int32Buffer();
  private id = -1;
  private namespace = -1;

  constructor() {
    this.alternativeStart.push(0);
    this.parentStart.push(0);
  }

  /** Begins a statement; one must be closed before the next. */
  open(id: number): void {
    this.id = id;
    this.namespace = -1;
  }
  setNamespace(namespace: number): void {
    this.namespace = namespace;
  }
  addAlternative(id: number): void {
    this.alternatives.push(id);
  }
  addParent(id: number): void {
    this.parents.push(id);
  }
  /** Ends the statement; without `keep` it is forgotten. */
  close(keep: boolean): void {
    if (!keep) {
      this.alternatives.truncate(this.alternativeStart.last());
      this.parents.truncate(this.parentStart.last());
      return;
    }
    this.idOf.push(this.id);
    this.namespaceOf.push(this.namespace);
    this.alternativeStart.push(this.alternatives.length);
    this.parentStart.push(this.parents.length);
  }

  add(record: TermRecord): void {
    this.open(this.ids.addText(record.id));
    this.setNamespace(this.namespaces.addText(record.namespace));
    for (const id of record.alternativeIds) this.addAlternative(this.ids.addText(id));
    for (const id of record.parentIds) this.addParent(this.ids.addText(id));
    this.close(true);
  }

  /** @param fallback namespace of statements without one; -1 leaves them without */
  statements(fallback = -1): TermStatements {
    return {
      ids: this.ids,
      namespaces: this.namespaces,
      idOf: this.idOf.view(),
      namespaceOf: this.namespaceOf.view().map((namespace) => (namespace < 0 ? fallback : namespace)),
      alternativeStart: this.alternativeStart.view(),
      alternatives: this.alternatives.view(),
      parentStart: this.parentStart.view(),
      parents: this.parents.view(),
    };
  }
}
