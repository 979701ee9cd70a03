/**
 * The genetic codes of NCBI by number: the residues of the 64 codons in the order TTT, TTC, TTA, TTG, TCT ... GGG, and below which codons
 * may start (M) or end (*) a protein. In the codes 27, 28 and 31, a codon may be both a residue and an end.
 */
const codes: readonly (readonly [number: number, residues: string, marks: string])[] = [
  [
    1,
    'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '---M------**--*----M---------------M----------------------------',
  ],
  [
    2,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG',
    '----------**--------------------MMMM----------**---M------------',
  ],
  [
    3,
    'FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**----------------------MM---------------M------------',
  ],
  [
    4,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--MM------**-------M------------MMMM---------------M------------',
  ],
  [
    5,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG',
    '---M------**--------------------MMMM---------------M------------',
  ],
  [
    6,
    'FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--------------*--------------------M----------------------------',
  ],
  [
    9,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG',
    '----------**-----------------------M---------------M------------',
  ],
  [
    10,
    'FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**-----------------------M----------------------------',
  ],
  [
    11,
    'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '---M------**--*----M------------MMMM---------------M------------',
  ],
  [
    12,
    'FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**--*----M---------------M----------------------------',
  ],
  [
    13,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG',
    '---M------**----------------------MM---------------M------------',
  ],
  [
    14,
    'FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG',
    '-----------*-----------------------M----------------------------',
  ],
  [
    15,
    'FFLLSSSSYY*QCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------*---*--------------------M----------------------------',
  ],
  [
    16,
    'FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------*---*--------------------M----------------------------',
  ],
  [
    21,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG',
    '----------**-----------------------M---------------M------------',
  ],
  [
    22,
    'FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '------*---*---*--------------------M----------------------------',
  ],
  [
    23,
    'FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--*-------**--*-----------------M--M---------------M------------',
  ],
  [
    24,
    'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG',
    '---M------**-------M---------------M---------------M------------',
  ],
  [
    25,
    'FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '---M------**-----------------------M---------------M------------',
  ],
  [
    26,
    'FFLLSSSSYY**CC*WLLLAPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**--*----M---------------M----------------------------',
  ],
  [
    27,
    'FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--------------*--------------------M----------------------------',
  ],
  [
    28,
    'FFLLSSSSYYQQCCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**--*--------------------M----------------------------',
  ],
  [
    29,
    'FFLLSSSSYYYYCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--------------*--------------------M----------------------------',
  ],
  [
    30,
    'FFLLSSSSYYEECC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '--------------*--------------------M----------------------------',
  ],
  [
    31,
    'FFLLSSSSYYEECCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '----------**-----------------------M----------------------------',
  ],
  [
    32,
    'FFLLSSSSYY*WCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG',
    '---M------*---*----M------------MMMM---------------M------------',
  ],
  [
    33,
    'FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG',
    '---M-------*-------M---------------M---------------M------------',
  ],
];

const baseOrder = 'TCAG';
/** The bases that each letter of a nucleotide sequence may stand for (IUPAC). */
const bases: Readonly<Record<string, string>> = {
  ...{ A: 'A', C: 'C', G: 'G', T: 'T', U: 'T', R: 'AG', Y: 'CT', S: 'CG', W: 'AT', K: 'GT', M: 'AC' },
  ...{ B: 'CGT', D: 'AGT', H: 'ACT', V: 'ACG', N: 'ACGT' },
};
const complements: Readonly<Record<string, string>> = {
  ...{ A: 'T', C: 'G', G: 'C', T: 'A', U: 'A', R: 'Y', Y: 'R', S: 'S', W: 'W', K: 'M', M: 'K' },
  ...{ B: 'V', V: 'B', D: 'H', H: 'D', N: 'N' },
};
const letterN = 'N'.charCodeAt(0);
/** The complement of each letter, by character code. */
const complementOf = Uint8Array.from({ length: 128 }, (_, code) =>
  (complements[String.fromCharCode(code)] ?? 'N').charCodeAt(0),
);
/** Letters that stand for two residues. */
const pairs: Readonly<Record<string, string>> = { DN: 'B', EQ: 'Z', IL: 'J' };

export interface GeneticCode {
  number: number;
  /** Returns the residue of a codon in capitals: `*` for a stop, X where the codon's letters leave the residue open. */
  residue(codon: string): string;
  mayStart(codon: string): boolean;
  mayEnd(codon: string): boolean;
}

const made = new Map<number, GeneticCode>();

/**
 * Returns the genetic code of a number (`transl_table`); undefined if NCBI has no such table. The source is NCBI, "The Genetic Codes".
 */
export function geneticCode(number: number): GeneticCode | undefined {
  const known = made.get(number);
  const row = codes.find(([own]) => own === number);
  if (known !== undefined || row === undefined) return known;
  const [, residues, marks] = row;
  const resolved = new Map<string, string>();
  const marked = (codon: string, mark: string) => {
    const all = possible(codon);
    return all.length > 0 && all.every((index) => marks[index] === mark);
  };
  const code: GeneticCode = {
    number,
    residue(codon) {
      const seen = resolved.get(codon);
      if (seen !== undefined) return seen;
      const letters = [...new Set(possible(codon).map((index) => residues[index]))].sort();
      const letter = letters.length === 1 ? letters[0] : (pairs[letters.join('')] ?? 'X');
      resolved.set(codon, letter);
      return letter;
    },
    mayStart: (codon) => marked(codon, 'M'),
    mayEnd: (codon) => marked(codon, '*'),
  };
  made.set(number, code);
  return code;
}

/** Returns the places in the table of the codons that three letters may be; none if one is not a nucleotide. */
function possible(codon: string): number[] {
  let places = [0];
  for (const letter of codon)
    places = [...(bases[letter] ?? '')].flatMap((base) =>
      places.map((place) => place * 4 + baseOrder.indexOf(base)),
    );
  return places;
}

/** Returns the other strand, read in its own direction. Letters that are not nucleotides become N. */
export function reverseComplement(sequence: string): string {
  const { length } = sequence;
  const letters = Buffer.alloc(length);
  for (let i = 0; i < length; i++) letters[length - 1 - i] = complementOf[sequence.charCodeAt(i)] ?? letterN;
  return letters.toString('latin1');
}
