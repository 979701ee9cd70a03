import { createHash } from 'node:crypto';
import { ProblemError } from '@kindred/contracts';
import { sourceChoice } from '@kindred/contracts/resources/prediction-sets';
import { evidenceGroups } from '@kindred/kernels/combined';
import { aspects } from '@kindred/kernels/vocabulary';
import type { z } from 'zod';
import type { BankArrays, BankTexts, ReferenceBank, RowKind } from '../compute/reference-bank.js';
import { noQualifier, proteinsBeside, proteinsIn } from '../compute/reference-bank.js';
import { selectBankTask } from '../compute/tasks/select-bank.js';
import { currentTaxonomy, lineagesOf } from '../../store/ontology/taxonomy.repository.js';
import type { BankContext } from './bank-context.js';
import { LastValue } from '../../ground/last-value.js';

/** A prediction uses these annotations and proteins of a reference; null means all. */
export type SourceChoice = z.infer<typeof sourceChoice>;

/** The choice leaves nothing out. */
export const wholeReference: SourceChoice = sourceChoice.parse({});

/** Tells whether a row is chosen, by its evidence and source. */
export function rowChooser({
  evidence,
  sources,
}: Pick<SourceChoice, 'evidence' | 'sources'>): (row: Omit<RowKind, 'qualifier'>) => boolean {
  const byEvidence = evidence === null ? null : new Set<string>(evidence);
  const bySource = sources === null ? null : new Set(sources);
  return ({ evidence: code, group, source }) =>
    (byEvidence === null || byEvidence.has(code) || byEvidence.has(evidenceGroups[group])) &&
    (bySource === null || (source !== null && bySource.has(source)));
}

export function needsTaxonomy({ source_taxa, exclude_taxa }: SourceChoice): boolean {
  return source_taxa !== null || exclude_taxa !== null;
}

const selected = () =>
  new LastValue<ReferenceBank>({ most: proteinsBeside, weigh: ({ arrays }) => proteinsIn(arrays) });

/**
 * Makes the bank that a build from the chosen rows alone would make: its references get new numbers, and its
 * sequences keep theirs. It is made from the bank in memory, without the database, and the last choice is
 * kept.
 *
 * @param taxonomySha256 the taxonomy that the job began with; null means any
 * @throws ProblemError conflict if nothing is left, or if the choice needs a taxonomy that is missing
 */
export async function selectedBank(
  bank: ReferenceBank,
  choice: SourceChoice,
  taxonomySha256: string | null,
  context: Pick<BankContext, 'db' | 'compute' | 'memory' | 'signal'>,
): Promise<ReferenceBank> {
  const named = Object.entries(choice).filter(([, value]) => value !== null);
  if (named.length === 0) return bank;
  const taxonomy = needsTaxonomy(choice) ? await sourceTaxonomy(choice, taxonomySha256, context) : null;
  const text = JSON.stringify([named.sort(), taxonomy]);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return context.memory.part(selected).get(`${String(bank.origin.key)} ${key}`, async () => {
    return selection(
      bank,
      key,
      { choice, references: await chosenReferences(bank.arrays, choice, context) },
      context,
    );
  });
}

/**
 * Gives the bank with the marked references alone; an earlier choice from the bank still applies. `key`
 * identifies both.
 */
export async function bankKeeping(
  bank: ReferenceBank,
  key: string,
  references: Uint8Array,
  context: Pick<BankContext, 'compute' | 'signal'>,
): Promise<ReferenceBank> {
  const kept = await selection(bank, key, { choice: wholeReference, references }, context);
  const isReordered = (bank.selection?.isReordered ?? false) || (kept.selection?.isReordered ?? false);
  return { ...kept, selection: kept.selection && { ...kept.selection, isReordered } };
}

/** @throws ProblemError conflict if nothing is left */
async function selection(
  bank: ReferenceBank,
  key: string,
  { choice, references }: { choice: SourceChoice; references: Uint8Array },
  context: Pick<BankContext, 'compute' | 'signal'>,
): Promise<ReferenceBank> {
  const found = await context.compute.run(
    selectBankTask,
    {
      arrays: bank.arrays,
      references,
      aspects: Uint8Array.from(aspects, (aspect) => Number(choice.aspects?.includes(aspect) ?? true)),
      ...strongestChosen(bank.texts, choice),
    },
    { signal: context.signal },
  );
  if (found.kept.length === 0)
    throw new ProblemError(
      'conflict',
      'No annotation of the reference is left by the choice of evidence, sources, aspects and organisms: choose more.',
    );
  return {
    vectorsFile: bank.vectorsFile,
    arrays: found.arrays,
    texts: { ...bank.texts, accessions: Array.from(found.kept, (r) => bank.texts.accessions[r]) },
    origin: bank.origin,
    selection: { key, sequences: found.sequences, isReordered: found.isReordered },
  };
}

/**
 * Gives the SHA-256 of the loaded taxonomy.
 *
 * @throws ProblemError conflict without a taxonomy, or when the job began with another taxonomy
 */
export async function sourceTaxonomy(
  { source_taxa, exclude_taxa }: Pick<SourceChoice, 'source_taxa' | 'exclude_taxa'>,
  asked: string | null,
  { db }: Pick<BankContext, 'db'>,
): Promise<string> {
  const name = source_taxa === null ? 'exclude_taxa' : 'source_taxa';
  const current = await currentTaxonomy(db);
  if (current === undefined)
    throw new ProblemError(
      'conflict',
      `${name} needs a taxonomy, and none is loaded: run load_taxonomy first, or leave ${name} out.`,
    );
  if (asked !== null && current.content_sha256 !== asked)
    throw new ProblemError(
      'conflict',
      `The taxonomy that ${name} was read with was replaced in the meantime; predict again.`,
    );
  const taxa = [...(source_taxa ?? []), ...(exclude_taxa ?? [])];
  const found = await lineagesOf(db, taxa);
  const unknown = taxa.filter((id) => (found?.taxonomy.indexOf(id) ?? -1) < 0);
  if (unknown.length > 0)
    throw new ProblemError(
      'conflict',
      `The loaded taxonomy does not know the ${unknown.length === 1 ? 'taxon' : 'taxa'} ${unknown.join(', ')}: give NCBI ids that it has.`,
    );
  return current.content_sha256;
}

/**
 * Marks each reference of the chosen organisms with 1. A reference of unknown taxon belongs to no chosen and
 * to no excluded taxon.
 */
async function chosenReferences(
  { referenceTaxon }: BankArrays,
  choice: SourceChoice,
  { db }: Pick<BankContext, 'db'>,
): Promise<Uint8Array> {
  const { source_taxa, exclude_taxa } = choice;
  if (!needsTaxonomy(choice)) return new Uint8Array(referenceTaxon.length).fill(1);
  const asked = [...new Set(referenceTaxon)].filter((id) => id !== 0);
  const chosen = [...(source_taxa ?? []), ...(exclude_taxa ?? [])];
  const found = await lineagesOf(db, [...asked, ...chosen]);
  const within = (lineage: ReadonlySet<number>, taxa: readonly number[]): boolean =>
    taxa.some((id) => lineage.has(found?.taxonomy.indexOf(id) ?? -1));
  const isChosen = new Map(
    [0, ...asked].map((id) => {
      const index = id === 0 ? -1 : (found?.taxonomy.indexOf(id) ?? -1);
      const lineage = new Set<number>(index < 0 ? [] : found?.taxonomy.lineage(index));
      return [
        id,
        (source_taxa === null || within(lineage, source_taxa)) &&
          (exclude_taxa === null || !within(lineage, exclude_taxa)),
      ];
    }),
  );
  return Uint8Array.from(referenceTaxon, (id) => Number(isChosen.get(id)));
}

/**
 * Finds the strongest evidence and all groups of the chosen rows, per set of kinds, as a bank of these rows
 * alone would have them.
 */
function strongestChosen({ kinds, kindSets, evidenceCodes, qualifiers }: BankTexts, choice: SourceChoice) {
  const isChosen = rowChooser(choice);
  const strengthOf = new Map(evidenceCodes.map((code, place) => [code, place]));
  const qualifierOf = new Map(qualifiers.map((qualifier, place) => [qualifier, place]));
  const columns = {
    evidence: new Int32Array(kindSets.length).fill(-1),
    qualifier: new Uint8Array(kindSets.length).fill(noQualifier),
    groups: new Uint8Array(kindSets.length),
  };
  kindSets.forEach((set, number) => {
    for (const kind of set.map((one) => kinds[one]).filter(isChosen)) {
      columns.groups[number] |= 1 << kind.group;
      const place = strengthOf.get(kind.evidence) as number;
      // Of equally strong rows, the first one counts.
      if (columns.evidence[number] >= 0 && columns.evidence[number] <= place) continue;
      columns.evidence[number] = place;
      columns.qualifier[number] =
        kind.qualifier === null ? noQualifier : (qualifierOf.get(kind.qualifier) as number);
    }
  });
  return columns;
}
