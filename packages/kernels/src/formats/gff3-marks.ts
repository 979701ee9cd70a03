import type { CodingPart } from './feature-location.js';
import { gff3Column9 } from './gff3-read.js';

/** Collects what lines other than CDS lines say about the codons of coding sequences. */
export class Gff3Marks {
  /** The first bases of start codons, by sequence and strand. */
  readonly #starts = new Set<string>();
  /** The transcripts without their 5' end, by sequence and ID. */
  readonly #open = new Set<string>();
  /** Residues in place of stops by their first base, for each sequence and strand. */
  readonly #residues = new Map<string, Map<number, string>>();

  /** @param cells the nine columns of a line that is not a CDS */
  add([sequence, , type, start, end, , strand, , column9]: readonly string[]): void {
    const place = `${sequence}\t${strand === '-' ? -1 : 1}`;
    const first = Number(strand === '-' ? end : start);
    const residue = redefined.exec(type)?.[1].toLowerCase();
    if (/^(?:start_codon|SO:0000318)$/i.test(type)) this.#starts.add(`${place}\t${first}`);
    else if (residue !== undefined) {
      const known = this.#residues.get(place) ?? new Map<number, string>();
      this.#residues.set(place, known.set(first, residue === 'selenocysteine' ? 'U' : 'O'));
    } else if (column9.includes(noStart)) {
      const attributes = gff3Column9(column9);
      const id = attributes.get('ID')?.[0];
      if (id !== undefined && saysOpen(attributes)) this.#open.add(`${sequence}\t${id}`);
    }
  }

  /**
   * Says whether a coding sequence begins before its first base in the file: its transcript says so, or the file has start codons (as
   * AUGUSTUS writes them) and none here.
   */
  isOpen(sequence: string, parent: string | null, first: CodingPart): boolean {
    if (parent !== null && this.#open.has(`${sequence}\t${parent}`)) return true;
    const base = first.strand === 1 ? first.start : first.end;
    return this.#starts.size > 0 && !this.#starts.has(`${sequence}\t${first.strand}\t${base}`);
  }

  /** Returns the residues of stops that stand for an amino acid, by their first base. */
  residues(sequence: string, strand: 1 | -1): ReadonlyMap<number, string> {
    return this.#residues.get(`${sequence}\t${strand}`) ?? none;
  }
}

const none: ReadonlyMap<number, string> = new Map();
const redefined = /^stop_codon_redefined_as_(selenocysteine|pyrrolysine)$/i;

/** GENCODE's tag of coding sequences whose start was not found. */
const noStart = 'cds_start_NF';

export const saysOpen = (attributes: ReadonlyMap<string, string[]>): boolean =>
  attributes.get('tag')?.includes(noStart) ?? false;
