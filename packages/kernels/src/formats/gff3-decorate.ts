import { oneWord } from './coding-sequence.js';
import { gff3Column9 } from './gff3-read.js';
import { type FeatureAnnotation, gff3Attributes, gff3Score, gff3Value } from './gff3-write.js';

/** Types of features that stand for a protein, the best first. */
const kinds = ['CDS', 'polypeptide', 'mRNA', 'transcript', 'gene'] as const;
/** Attributes that may name a protein, the best first. */
const names = ['protein_id', 'Dbxref', 'db_xref', 'ID', 'Name', 'locus_tag', 'gene', 'Alias'] as const;

interface Place {
  /** The rank of the annotation; lower is better. */
  rank: number;
  sequence: string;
  start: number;
  end: number;
  strand: string;
  /** The ID of the feature; null if it has none. */
  featureId: string | null;
}

/**
 * Adds a `polypeptide` feature for each protein that a GFF3 file has a feature of; every line of the file stays unchanged
 * and in its order. The features come before a `###`, before `##FASTA`, or at the end, span all lines of their CDS, derive
 * from it, and have `Ontology_term`, `Dbxref` and as score the best probability of their terms.
 *
 * A feature belongs to a protein if its protein_id, a cross-reference, its ID (with or without `cds-`), Name or locus_tag is
 * the accession, with or without a version. A CDS wins over a transcript, and that over a gene.
 *
 * The caller passes lines with their line ends. The memory is the features since the last `###`.
 */
export class Gff3Decorator {
  readonly #annotationOf: (accession: string) => FeatureAnnotation | undefined;
  readonly #places = new Map<string, Place>();
  readonly #placed = new Set<string>();
  #inSequences = false;

  constructor(annotationOf: (accession: string) => FeatureAnnotation | undefined) {
    this.#annotationOf = annotationOf;
  }

  /** Returns the proteins that the file has a feature of. */
  get placed(): ReadonlySet<string> {
    return this.#placed;
  }

  /** Returns the features that come before this line. */
  before(line: string): string {
    if (this.#inSequences) return '';
    const text = line.trimEnd();
    if (text === '###' || text === '##FASTA' || text.startsWith('>')) {
      this.#inSequences = text !== '###';
      return this.end();
    }
    if (text !== '' && !text.startsWith('#')) this.#note(text);
    return '';
  }

  /** Returns the features that come after the last line, which must end in a line end. */
  end(): string {
    let features = '';
    for (const [accession, place] of this.#places)
      features += featureLine(accession, place, this.#annotationOf(accession) as FeatureAnnotation);
    this.#places.clear();
    return features;
  }

  #note(line: string): void {
    const cells = line.split('\t');
    const kind = kinds.indexOf(cells[2] as (typeof kinds)[number]);
    if (cells.length < 9 || kind < 0) return;
    const attributes = gff3Column9(cells[8]);
    for (const [at, name] of names.entries()) {
      for (const value of attributes.get(name) ?? []) {
        const accession = this.#accessionOf(value);
        if (accession === undefined) continue;
        const featureId = attributes.get('ID')?.[0] ?? null;
        const [sequence, , , start, end, , strand] = cells;
        this.#keep(accession, {
          rank: kind * names.length + at,
          sequence,
          start: Number(start),
          end: Number(end),
          strand,
          featureId,
        });
        return;
      }
    }
  }

  #accessionOf(value: string): string | undefined {
    const bare = value.slice(value.lastIndexOf(':') + 1);
    const forms = [
      value,
      bare,
      bare.replace(/^(?:cds|rna|gene)-/i, ''),
      bare.replace(/\.\d+$/, ''),
      oneWord(value),
    ];
    return forms.find((form) => this.#annotationOf(form) !== undefined);
  }

  #keep(accession: string, place: Place): void {
    const known = this.#places.get(accession);
    const isPart =
      known !== undefined &&
      known.featureId !== null &&
      known.featureId === place.featureId &&
      known.rank === place.rank;
    if (isPart) {
      known.start = Math.min(known.start, place.start);
      known.end = Math.max(known.end, place.end);
    } else if (known === undefined ? !this.#placed.has(accession) : place.rank < known.rank) {
      this.#places.set(accession, place);
      this.#placed.add(accession);
    }
  }
}

function featureLine(accession: string, place: Place, annotation: FeatureAnnotation): string {
  const { sequence, start, end, strand, featureId } = place;
  const score = gff3Score(annotation);
  const attributes = [
    `ID=kindred:${gff3Value(accession)}`,
    ...(featureId === null ? [] : [`Derives_from=${gff3Value(featureId)}`]),
    `Name=${gff3Value(accession)}`,
    ...[gff3Attributes(annotation)].filter((text) => text !== ''),
  ];
  return `${[sequence, 'Kindred', 'polypeptide', start, end, score, strand, '.', attributes.join(';')].join('\t')}\n`;
}
