/** A published model that `kindred models pull` knows. */
export interface CatalogueEntry {
  id: string;
  /** The repository on the hub, owner/name. */
  repository: string;
  description: string;
  parameters: string;
  dimension: number;
  layers: number;
  /** The maximum number of residues of the model's architecture; null means no fixed limit. */
  maxResidues: number | null;
  licence: Licence;
  /** The citation as a key of docs/references.bib. */
  citation: string;
  /** Size and sha256 of files whose content is known. A download or an added folder with another content is refused. */
  files?: Readonly<Record<string, PinnedFile>>;
}
export interface PinnedFile {
  sizeBytes: number;
  sha256: string;
}

/** Sentences on what each licence restricts; null if it lets everybody use the model. */
export const licences = {
  MIT: null,
  'AFL-3.0': null,
  'CC-BY-NC-SA-4.0':
    'It excludes commercial use, and asks that what is derived from the model has the same terms.',
  'Cambrian Open':
    'It forbids some uses, and asks that what is built on the model says so, has ESM in its name and passes the terms on.',
  'Cambrian Non-Commercial':
    'It excludes commercial use, forbids some others, and asks that what is built on the model says so, has ESM in its name and passes the terms on.',
  'profluent-e1-clickthrough-license':
    'It asks that publications and products that rest on the model name Profluent-E1 where it is easy to see, that drugs and targets found with it are marked “Built with Profluent-E1”, and that copies keep its terms.',
} as const satisfies Record<string, string | null>;
export type Licence = keyof typeof licences;

/** Returns the memory for the weights as float32, in bytes. */
export function weightBytes({ parameters }: CatalogueEntry): number {
  const [, number, unit] = /^([\d.]+) ([MG])\b/.exec(parameters) as RegExpExecArray;
  return Number(number) * (unit === 'G' ? 1e9 : 1e6) * 4;
}

const pinnedFiles: Readonly<Record<string, Readonly<Record<string, PinnedFile>>>> = {
  esm2_t6_8M_UR50D: {
    'model.safetensors': {
      sizeBytes: 31_375_984,
      sha256: 'c78322372c5f2a2db07ff6df20637701d82eb255aa32e2623c2db18553db28d9',
    },
  },
  esm2_t12_35M_UR50D: {
    'model.safetensors': {
      sizeBytes: 136_000_488,
      sha256: 'da93c01fb49062629d1e9040290fda26b7a69bb3daaccf8c2c16adf509f086d8',
    },
  },
};

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
  ...(pinnedFiles[id] === undefined ? {} : { files: pinnedFiles[id] }),
});

const esm1v = (member: number): CatalogueEntry => ({
  id: `esm1v_t33_650M_UR90S_${member}`,
  repository: `facebook/esm1v_t33_650M_UR90S_${member}`,
  description: `ESM-1v, model ${member} of 5`,
  parameters: '650 M',
  dimension: 1280,
  layers: 33,
  maxResidues: 1022,
  licence: 'MIT',
  citation: 'Meier2021',
});

const esmc = (
  repository: string,
  licence: Licence,
  [parameters, layers, dimension]: readonly [string, number, number],
): CatalogueEntry => ({
  id: repository.split('/')[1],
  repository,
  description: `ESM C, ${parameters} parameters`,
  parameters,
  dimension,
  layers,
  maxResidues: null,
  licence,
  citation: 'ESMC2024',
});

const e1 = ([id, parameters, layers, dimension]: readonly [
  string,
  string,
  number,
  number,
]): CatalogueEntry => ({
  id,
  repository: `Profluent-Bio/${id}`,
  description: `Profluent-E1, ${parameters} parameters, one sequence at a time`,
  parameters,
  dimension,
  layers,
  // The authors' program has 8,192 positions, of which four are marks of start and end.
  maxResidues: 8188,
  licence: 'profluent-e1-clickthrough-license',
  citation: 'Jain2025',
});

const ankh = (
  id: string,
  description: string,
  [parameters, dimension]: readonly [string, number],
): CatalogueEntry => ({
  id,
  repository: `ElnaggarLab/${id}`,
  description,
  parameters: `${parameters} (encoder)`,
  dimension,
  layers: 48,
  maxResidues: null,
  licence: 'CC-BY-NC-SA-4.0',
  citation: id.startsWith('ankh3') ? 'Alsamkary2025' : 'Elnaggar2023',
});

const t5 = {
  parameters: '1.2 G (encoder)',
  dimension: 1024,
  layers: 24,
  maxResidues: null,
} as const;

/** The models with sizes and licences as stated by the authors. The hub's list of files defines what is downloaded. */
export const catalogue: readonly CatalogueEntry[] = [
  esm2(['esm2_t6_8M_UR50D', '8 M', 6, 320]),
  esm2(['esm2_t12_35M_UR50D', '35 M', 12, 480]),
  esm2(['esm2_t30_150M_UR50D', '150 M', 30, 640]),
  esm2(['esm2_t33_650M_UR50D', '650 M', 33, 1280]),
  esm2(['esm2_t36_3B_UR50D', '3 G', 36, 2560]),
  esm2(['esm2_t48_15B_UR50D', '15 G', 48, 5120]),
  esmc('biohub/ESMC-300M', 'MIT', ['333 M', 30, 960]),
  esmc('biohub/ESMC-600M', 'MIT', ['575 M', 36, 1152]),
  esmc('biohub/ESMC-6B', 'MIT', ['6.35 G', 80, 2560]),
  esmc('EvolutionaryScale/esmc-300m-2024-12', 'Cambrian Open', ['333 M', 30, 960]),
  esmc('EvolutionaryScale/esmc-600m-2024-12', 'Cambrian Non-Commercial', ['575 M', 36, 1152]),
  e1(['E1-150m', '154 M', 20, 768]),
  e1(['E1-300m', '274 M', 20, 1024]),
  e1(['E1-600m', '641 M', 30, 1280]),
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
  ...[1, 2, 3, 4, 5].map(esm1v),
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
    id: 'DistilProtBert',
    repository: 'yarongef/DistilProtBert',
    description: 'DistilProtBert, half of ProtBERT',
    parameters: '230 M',
    dimension: 1024,
    layers: 15,
    maxResidues: null,
    licence: 'MIT',
    citation: 'Geffen2022',
  },
  ankh('ankh-base', 'Ankh base', ['450 M', 768]),
  ankh('ankh-large', 'Ankh large', ['1.15 G', 1536]),
  ankh('ankh3-large', 'Ankh3 large', ['1.15 G', 1536]),
  ankh('ankh3-xl', 'Ankh3 XL', ['3.49 G', 2560]),
];

export const catalogueEntry = (id: string): CatalogueEntry | undefined =>
  catalogue.find((entry) => entry.id === id);
