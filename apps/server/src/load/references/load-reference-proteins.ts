import {
  addReferenceProteins,
  clearReferenceProteins,
  countReferenceProteins,
} from '../../store/references/reference-proteins.repository.js';
import { insertFasta } from '../insert-proteins.js';
import type { Operation } from '../../work/operation/operation.js';
import { referenceInBuild } from './build-context.js';

const name = 'load_reference_proteins';

/** Loads the proteins of all FASTA files, and records which proteins of the catalogue the reference has. */
export const loadReferenceProteins: Operation<'load_reference_proteins'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await referenceInBuild(reference_id, context);
    await clearReferenceProteins(context.db, reference.number);
    const files = [];
    for (const source of reference.inputs.proteins ?? []) {
      context.signal.throwIfAborted();
      files.push(
        await insertFasta(source.url, context, (trx, proteins) =>
          addReferenceProteins(trx, reference.number, proteins),
        ),
      );
    }
    const result = { files, ...(await countReferenceProteins(context.db, reference.number)) };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};
