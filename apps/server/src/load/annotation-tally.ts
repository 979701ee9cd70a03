import type { AnnotationRecord } from '@kindred/contracts';
import { GrowingUint8 } from '@kindred/kernels/arrays';
import type { AnnotationStatistics } from '../store/annotations/annotations.repository.js';
import type { KnownTerm } from '../store/ontology/term-lookup.js';

const maxExamples = 50;

interface LostTerm {
  go_id: string;
  reason: 'unknown_term' | 'obsolete_term';
  rows: number;
}

/** Counts the rows of one load: kept rows by property, and skipped rows by reason. */
export class AnnotationTally {
  kept = 0;
  /** This number of kept rows has an alternative GO id. */
  altIdsMapped = 0;
  notInDatabase = 0;
  unknownTerm = 0;
  obsoleteTerm = 0;
  /** The kept rows have this largest date, as the source writes it. */
  #newestDate = '';
  #negated = 0;
  readonly #byAspect = { P: 0, F: 0, C: 0 };
  readonly #byEvidence = new Map<string, number>();
  readonly #proteins = new Flags();
  readonly #terms = new Flags();
  readonly #lost = new Map<string, LostTerm>();
  readonly #absent = new Set<string>();

  keep(proteinId: number, term: KnownTerm, record: AnnotationRecord): void {
    this.kept++;
    if (term.isAlternative) this.altIdsMapped++;
    if (record.qualifier?.includes('NOT') && record.qualifier.split('|').includes('NOT')) this.#negated++;
    this.#byAspect[term.aspect]++;
    this.#byEvidence.set(record.evidenceCode, (this.#byEvidence.get(record.evidenceCode) ?? 0) + 1);
    const { annotationDate } = record;
    if (annotationDate !== null && annotationDate > this.#newestDate) this.#newestDate = annotationDate;
    this.#proteins.set(proteinId);
    this.#terms.set(term.index);
  }

  loseTerm(goId: string, reason: LostTerm['reason']): void {
    if (reason === 'unknown_term') this.unknownTerm++;
    else this.obsoleteTerm++;
    const lost = this.#lost.get(goId);
    if (lost !== undefined) lost.rows++;
    else if (this.#lost.size < maxExamples) this.#lost.set(goId, { go_id: goId, reason, rows: 1 });
  }

  /** Remembers a few accessions that the database lacks; their rows are counted separately. */
  missAccession(accession: string): void {
    if (this.#absent.size < maxExamples) this.#absent.add(accession);
  }

  get skipped(): number {
    return this.notInDatabase + this.unknownTerm + this.obsoleteTerm;
  }

  get proteinCount(): number {
    return this.#proteins.count;
  }

  get statistics(): AnnotationStatistics {
    const codes = [...this.#byEvidence].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    return {
      by_aspect: { ...this.#byAspect },
      by_evidence_code: Object.fromEntries(codes),
      negated: this.#negated,
      terms: this.#terms.count,
    };
  }

  /** The date has the form YYYY-MM-DD. A source writes all its dates in one way, with hyphens or without. */
  get newestAnnotationDate(): string | null {
    const date = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(this.#newestDate);
    return date === null ? null : date.slice(1, 4).join('-');
  }

  /** The job's result contains this: the rows that the set lacks, by reason. */
  explanation(unreadable: number): Record<string, unknown> {
    return {
      annotations_skipped: this.skipped + unreadable,
      skipped_not_in_database: this.notInDatabase,
      skipped_unknown_term: this.unknownTerm,
      skipped_obsolete_term: this.obsoleteTerm,
      skipped_unreadable: unreadable,
      alt_ids_mapped: this.altIdsMapped,
      lost_go_ids: [...this.#lost.values()],
      absent_accessions: [...this.#absent],
    };
  }
}

/** The set holds small non-negative integers and grows. */
class Flags {
  count = 0;
  readonly #flags = new GrowingUint8(1 << 16);

  set(index: number): void {
    this.#flags.extend(index + 1);
    if (this.#flags.at(index) === 1) return;
    this.#flags.set(index, 1);
    this.count++;
  }
}
