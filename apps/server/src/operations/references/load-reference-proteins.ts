import {
  addReferenceProteins,
  clearReferenceProteins,
  countReferenceProteins,
} from '../../store/references/reference-proteins.repository.js';
import { insertFasta } from '../loading/insert-proteins.js';
import type { Operation } from '../operation.js';
import { referenceInBuild } from './build-context.js';

const name = 'load_reference_proteins';

/** The proteins of all its FASTA files, and which of the catalogue they are. */
export const loadReferenceProteins: Operation<'load_reference_proteins'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await referenceInBuild(reference_id, context);
    await clearReferenceProteins(context.db, reference.number);
    const files = [];
    for (const source of reference.inputs.proteins ?? []) {
      context.signal.throwIfAborted();
      files.push(
        await insertFasta(source.url, context, (trx, accessions) =>
          addReferenceProteins(trx, reference.number, accessions),
        ),
      );
    }
    const result = { files, ...(await countReferenceProteins(context.db, reference.number)) };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};
