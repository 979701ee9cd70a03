/** A published model that `kindred models pull` knows. */
export interface CatalogueEntry {
  id: string;
  /** Repository on the hub, owner/name. */
  repository: string;
  description: string;
  parameters: string;
  dimension: number;
  layers: number;
  /** Maximum number of residues of the model's architecture; null: no fixed limit. */
  maxResidues: number | null;
  licence: string;
  /** Key of docs/references.bib. */
  citation: string;
}

const esm2 = ([id, parameters, layers, dimension]: readonly [
  string,
  string,
  number,
  number,
]): CatalogueEntry => ({
  id,
  repository: `facebook/${id}`,
  description: `ESM-2, ${parameters} parameters`,
  parameters,
  dimension,
  layers,
  maxResidues: null,
  licence: 'MIT',
  citation: 'Lin2023',
});

const t5 = {
  parameters: '1.2 G (encoder)',
  dimension: 1024,
  layers: 24,
  maxResidues: null,
} as const;

/** Sizes and licences as stated by the authors; the hub's list of files defines what is downloaded. */
export const catalogue: readonly CatalogueEntry[] = [
  esm2(['esm2_t6_8M_UR50D', '8 M', 6, 320]),
  esm2(['esm2_t12_35M_UR50D', '35 M', 12, 480]),
  esm2(['esm2_t30_150M_UR50D', '150 M', 30, 640]),
  esm2(['esm2_t33_650M_UR50D', '650 M', 33, 1280]),
  esm2(['esm2_t36_3B_UR50D', '3 G', 36, 2560]),
  esm2(['esm2_t48_15B_UR50D', '15 G', 48, 5120]),
  {
    id: 'esm1b_t33_650M_UR50S',
    repository: 'facebook/esm1b_t33_650M_UR50S',
    description: 'ESM-1b, 650 M parameters',
    parameters: '650 M',
    dimension: 1280,
    layers: 33,
    maxResidues: 1022,
    licence: 'MIT',
    citation: 'Rives2021',
  },
  {
    id: 'prot_t5_xl_uniref50',
    repository: 'Rostlab/prot_t5_xl_uniref50',
    description: 'ProtT5-XL-U50',
    ...t5,
    licence: 'AFL-3.0',
    citation: 'Elnaggar2022',
  },
  {
    id: 'prot_t5_xl_half_uniref50-enc',
    repository: 'Rostlab/prot_t5_xl_half_uniref50-enc',
    description: 'ProtT5-XL-U50, encoder alone, float16',
    ...t5,
    licence: 'AFL-3.0',
    citation: 'Elnaggar2022',
  },
  {
    id: 'ProstT5',
    repository: 'Rostlab/ProstT5',
    description: 'ProstT5, of sequence and structure',
    ...t5,
    licence: 'MIT',
    citation: 'Heinzinger2024',
  },
  {
    id: 'prot_bert',
    repository: 'Rostlab/prot_bert',
    description: 'ProtBERT',
    parameters: '420 M',
    dimension: 1024,
    layers: 30,
    maxResidues: null,
    licence: 'AFL-3.0',
    citation: 'Elnaggar2022',
  },
  {
    id: 'ankh-base',
    repository: 'ElnaggarLab/ankh-base',
    description: 'Ankh base',
    parameters: '450 M (encoder)',
    dimension: 768,
    layers: 48,
    maxResidues: null,
    licence: 'CC-BY-NC-SA-4.0',
    citation: 'Elnaggar2023',
  },
  {
    id: 'ankh-large',
    repository: 'ElnaggarLab/ankh-large',
    description: 'Ankh large',
    parameters: '1.15 G (encoder)',
    dimension: 1536,
    layers: 48,
    maxResidues: null,
    licence: 'CC-BY-NC-SA-4.0',
    citation: 'Elnaggar2023',
  },
];
