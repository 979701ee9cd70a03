import type { z } from 'zod';
import { embeddingText } from './embedding-text.js';
import { referenceText } from './reference-words.js';
import { methodText } from './resources/exports.js';
import { notChecked, type predictionSetDetailReply } from './resources/prediction-sets.js';

type PredictionSetDetail = z.infer<typeof predictionSetDetailReply>;

export const productTitle = 'Kindred: protein function annotation by nearest kin';

/** Writes what a paper says of a run: what was done with which versions, and what was not checked. */
export function methodsSentence(set: PredictionSetDetail, version: string): string {
  const { reference, more_references: more, protein_count, obo_version, created_at } = set;
  const references = [reference, ...more].filter((one) => one !== null).map(referenceText);
  const against =
    references.length > 0
      ? ` from ${references.length === 1 ? 'the reference' : 'the references'} ${references.join('; ')}`
      : set.annotation_set_label === null
        ? ''
        : ` from the annotations ${set.annotation_set_label}`;
  const model = embeddingText(set);
  return [
    `Gene Ontology terms of ${protein_count.toLocaleString('en-GB')} ${protein_count === 1 ? 'protein' : 'proteins'} were predicted with Kindred ${version}`,
    ` (method ${methodText(set)}${model === null ? '' : `, similarity model ${model}`})${against},`,
    ` with the Gene Ontology of ${obo_version}, on ${created_at.slice(0, 10)}.`,
    ...notChecked(set).map((sentence) => ` Not checked: ${sentence}${/[.!?]$/.test(sentence) ? '' : '.'}`),
  ].join('');
}

/** Writes the entries of BibTeX for the service, the Gene Ontology and UniProt. */
export function bibTex(version: string, year: string): string {
  return `@software{kindred,
  title = {${productTitle}},
  author = {{The Kindred developers}},
  version = {${version}},
  year = {${year}}
}
@article{go2000,
  title = {Gene Ontology: tool for the unification of biology},
  author = {Ashburner, Michael and others},
  journal = {Nature Genetics},
  volume = {25},
  pages = {25--29},
  year = {2000},
  doi = {10.1038/75556}
}
@article{go2023,
  title = {The Gene Ontology knowledgebase in 2023},
  author = {{The Gene Ontology Consortium}},
  journal = {Genetics},
  volume = {224},
  number = {1},
  pages = {iyad031},
  year = {2023},
  doi = {10.1093/genetics/iyad031}
}
@article{uniprot2023,
  title = {UniProt: the Universal Protein Knowledgebase in 2023},
  author = {{The UniProt Consortium}},
  journal = {Nucleic Acids Research},
  volume = {51},
  number = {D1},
  pages = {D523--D531},
  year = {2023},
  doi = {10.1093/nar/gkac1052}
}
`;
}
