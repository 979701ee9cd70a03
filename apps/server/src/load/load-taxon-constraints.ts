import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { textOfBytes } from '@kindred/kernels/formats';
import {
  readTaxonConstraintsOfObo,
  readTaxonConstraintTable,
  readTaxonUnions,
  type TaxonConstraint,
  type TaxonConstraintList,
} from '@kindred/kernels/taxon-constraints';
import {
  currentTaxonConstraints,
  replaceTaxonConstraints,
} from '../store/ontology/taxon-constraints.repository.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { examplesFolder } from '../ground/folders.js';
import { loadProblem } from './load-problem.js';
import { readWhole } from '../work/operation/read-whole.js';
import { RejectionLog } from './rejection-log.js';

type Payload = PayloadOf<'load_taxon_constraints'>;
const name = 'load_taxon_constraints';

/**
 * Reads and checks all files, then replaces the loaded constraints. The same content is not written again.
 */
export const loadTaxonConstraints: Operation<'load_taxon_constraints'> = {
  name,
  async run(payload, context) {
    const { source_version = shippedVersion } = payload;
    await context.emit(`${name}.start`, { source_version });
    const read = payload.source_version === undefined ? await readShipped() : await readAll(payload, context);
    const content_sha256 = createHash('sha256')
      .update(JSON.stringify([source_version, read.constraints, read.unions]))
      .digest('hex');
    const current = await currentTaxonConstraints(context.db);
    const keepsOthers =
      payload.source_version === undefined && current?.source_version.startsWith(shippedName) === false;
    const skipped = keepsOthers || current?.content_sha256 === content_sha256;
    if (!skipped)
      await replaceTaxonConstraints(context.db, { source_version, content_sha256, ...read }, context.jobId);
    const count = (kind: TaxonConstraint['kind']) =>
      read.constraints.filter((constraint) => constraint.kind === kind).length;
    const result = {
      source_version,
      skipped,
      in_force: skipped && current !== undefined ? current.source_version : source_version,
      only_in: count('only_in'),
      never_in: count('never_in'),
      unions: Object.keys(read.unions).length,
      rejected_lines: read.rejected,
      content_sha256,
    };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};

/** The version of constraints that do not come from GO begins with this name. */
const shippedName = 'Kindred ';
const shippedVersion = `${shippedName}2026-11`;

async function readShipped(): Promise<ReadConstraints> {
  const text = await readFile(join(examplesFolder, 'taxon-constraints.obo'), 'utf8');
  return { constraints: readTaxonConstraintsOfObo(text).constraints, unions: {}, rejected: 0 };
}

interface ReadConstraints {
  constraints: TaxonConstraint[];
  unions: Record<string, string[]>;
  rejected: number;
}

async function readAll(payload: Payload, context: OperationContext): Promise<ReadConstraints> {
  const rejections = new RejectionLog(context, `${name}.bad_lines`, payload.on_bad_line);
  const constraints: TaxonConstraint[] = [];
  const text = async (url: string): Promise<string> => {
    try {
      return textOfBytes(await readWhole(url, payload.timeout_seconds, context));
    } catch (error) {
      throw loadProblem(error, url);
    }
  };
  const unions =
    payload.unions_url === undefined
      ? new Map<string, string[]>()
      : readTaxonUnions(await text(payload.unions_url));
  const add = async (url: string | undefined, read: (text: string) => TaxonConstraintList): Promise<void> => {
    if (url === undefined) return;
    const list = read(await text(url));
    await rejections.add(list.rejected);
    const isKnown = ({ taxon }: TaxonConstraint) => taxon.startsWith('NCBITaxon:') || unions.has(taxon);
    await rejections.add(
      list.constraints
        .filter((constraint) => !isKnown(constraint))
        .map(({ termId, taxon }) => ({
          line: 0,
          record: termId,
          reason: `${taxon} is a union of taxa that unions_url does not have`,
        })),
    );
    constraints.push(...list.constraints.filter(isKnown));
  };
  await add(payload.only_in_url, (table) => readTaxonConstraintTable(table, 'only_in'));
  await add(payload.never_in_url, (table) => readTaxonConstraintTable(table, 'never_in'));
  await add(payload.obo_url, readTaxonConstraintsOfObo);
  if (constraints.length === 0)
    throw new ProblemError('bad_file', 'None of the files has a taxon constraint; are they the right ones?');
  return { constraints, unions: Object.fromEntries(unions), rejected: rejections.total };
}
