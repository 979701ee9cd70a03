import type { Rejection } from '../formats/index.js';

/**
 * The kinds of constraints: `only_in` makes a term wrong for taxa outside all of the listed taxa, `never_in` for taxa inside one of them.
 */
export type TaxonConstraintKind = 'only_in' | 'never_in';

export interface TaxonConstraint {
  termId: string;
  kind: TaxonConstraintKind;
  /** A taxon, or a union of taxa: `NCBITaxon:2759`, `NCBITaxon_Union:0000004`. */
  taxon: string;
}

export interface TaxonConstraintList {
  constraints: TaxonConstraint[];
  /** The lines that were left out, and why. */
  rejected: Rejection[];
}

const termPattern = /^GO:\d{7}$/;
const taxonPattern = /^NCBITaxon(_Union)?:\d+$/;
/** The tables write unions in this form; ontology files use `NCBITaxon_Union:`. */
const unionInTables = 'NCBITaxon:Union_';

/**
 * Reads a table of GO's constraints of one kind. It is separated by tabs, with a head line, the term in the first column and the taxon in
 * the third.
 *
 * @cite Deegan2010
 */
export function readTaxonConstraintTable(text: string, kind: TaxonConstraintKind): TaxonConstraintList {
  const list: TaxonConstraintList = { constraints: [], rejected: [] };
  text.split(/\r?\n/).forEach((row, at) => {
    if (at === 0 || row.trim() === '') return;
    const [termId, , taxon] = row.split('\t');
    addConstraint(list, { termId, kind, taxon }, at + 1);
  });
  return list;
}

const relations: Record<string, TaxonConstraintKind> = {
  only_in_taxon: 'only_in',
  never_in_taxon: 'never_in',
  'RO:0002160': 'only_in',
  'RO:0002161': 'never_in',
};

/** Reads the constraints in an ontology file, from relationships or property values of its terms. */
export function readTaxonConstraintsOfObo(text: string): TaxonConstraintList {
  const list: TaxonConstraintList = { constraints: [], rejected: [] };
  let termId = '';
  text.split(/\r?\n/).forEach((row, at) => {
    if (row.startsWith('[')) termId = '';
    else if (row.startsWith('id: ')) termId = row.slice(4).trim();
    const [tag, relation, taxon] = row.split(/\s+/);
    if (tag !== 'relationship:' && tag !== 'property_value:') return;
    if (!Object.hasOwn(relations, relation ?? '') || termId === '') return;
    addConstraint(list, { termId, kind: relations[relation], taxon: taxon ?? '' }, at + 1);
  });
  return list;
}

function addConstraint(list: TaxonConstraintList, found: TaxonConstraint, line: number): void {
  // Ids of the published tables sometimes have trailing spaces.
  const { kind } = found;
  const termId = found.termId.trim();
  const taxon = (found.taxon ?? '').trim().replace(unionInTables, 'NCBITaxon_Union:');
  if (termPattern.test(termId) && taxonPattern.test(taxon)) {
    list.constraints.push({ termId, kind, taxon });
    return;
  }
  const reason = `expected a GO term and a taxon, found '${termId}' and '${taxon}'`;
  list.rejected.push({ line, record: termId, reason });
}

/** Reads the members of each union of taxa from the ontology file of GO's groupings. */
export function readTaxonUnions(text: string): Map<string, string[]> {
  const unions = new Map<string, string[]>();
  let id = '';
  for (const row of text.split(/\r?\n/)) {
    if (row.startsWith('[')) id = '';
    else if (row.startsWith('id: ')) id = row.slice(4).trim();
    else if (row.startsWith('union_of: ') && id.startsWith('NCBITaxon_Union:')) {
      const member = row.slice('union_of: '.length).split(/\s/)[0];
      unions.set(id, [...(unions.get(id) ?? []), member]);
    }
  }
  return unions;
}
