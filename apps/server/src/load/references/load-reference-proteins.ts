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
    const files: Awaited<ReturnType<typeof insertFasta>>[] = [];
    let before = 0;
    // The total is unknown until the last file ends: that of the first file would be below what is read in the end.
    const ofOneFile = {
      ...context,
      progress: (done: number) => context.progress(before + done, null),
    };
    for (const source of reference.inputs.proteins ?? []) {
      context.signal.throwIfAborted();
      const file = await insertFasta(source.url, ofOneFile, (trx, proteins) =>
        addReferenceProteins(trx, reference.number, proteins),
      );
      files.push(file);
      before += file.retrieved_records;
    }
    await context.progress(before, before);
    const result = { files, ...(await countReferenceProteins(context.db, reference.number)) };
    await context.emit(`${name}.done`, result);
    return { kind: 'done', result };
  },
};
