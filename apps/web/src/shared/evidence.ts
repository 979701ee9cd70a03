import { experimentalEvidence, unrecordedEvidence } from '@kindred/contracts/vocabulary';
import type { EvidenceKind } from './evidence-kinds.js';

/** The evidence codes of the Gene Ontology, which say what the source's own annotation rests on. */
const meanings: Record<string, string> = {
  EXP: 'Inferred from experiment',
  IDA: 'Inferred from direct assay',
  IPI: 'Inferred from physical interaction',
  IMP: 'Inferred from mutant phenotype',
  IGI: 'Inferred from genetic interaction',
  IEP: 'Inferred from expression pattern',
  HTP: 'High-throughput experiment',
  HDA: 'High-throughput direct assay',
  HMP: 'High-throughput mutant phenotype',
  HGI: 'High-throughput genetic interaction',
  HEP: 'High-throughput expression pattern',
  ISS: 'Inferred from sequence or structural similarity',
  ISO: 'Inferred from sequence orthology',
  ISA: 'Inferred from sequence alignment',
  ISM: 'Inferred from a sequence model',
  IGC: 'Inferred from genomic context',
  IBA: 'Inferred from a biological ancestor (phylogeny)',
  IBD: 'Inferred from a biological descendant (phylogeny)',
  IKR: 'Inferred from key residues',
  IRD: 'Inferred from rapid divergence',
  RCA: 'Inferred from a reviewed computational analysis',
  TAS: 'Traceable author statement',
  NAS: 'Non-traceable author statement',
  IC: 'Inferred by a curator',
  ND: 'No biological data available',
  IEA: 'Inferred from electronic annotation, not reviewed by a curator',
};

const experimental = new Set<string>(experimentalEvidence);

export interface Evidence {
  kind: EvidenceKind;
  meaning: string;
}

export const evidenceKindWords: Record<EvidenceKind, string> = {
  experiment: 'experimental or curated',
  curator: 'reviewed by a curator, no experiment on this protein',
  electronic: 'electronic, unreviewed',
  unknown: 'evidence not known',
};

/** Returns the meaning of an evidence code. An unknown code is shown as it is. */
export function evidenceOf(code: string | null): Evidence {
  if (code === null || code === unrecordedEvidence)
    return { kind: 'unknown', meaning: 'No evidence code is recorded' };
  const meaning = meanings[code];
  if (meaning === undefined) return { kind: 'unknown', meaning: `Evidence code ${code}` };
  if (experimental.has(code)) return { kind: 'experiment', meaning };
  return { kind: code === 'IEA' ? 'electronic' : 'curator', meaning };
}

/** The names of the choices from a reference, for readers. */
export const sourceChoiceNames = {
  evidence: 'Evidence that counts',
  sources: 'Annotations by',
  aspects: 'Annotations of the aspects',
  source_taxa: 'Only proteins of the taxa',
  exclude_taxa: 'No proteins of the taxa',
} as const;

/** The groups of evidence that an annotation run may be limited to, in the order of the service. */
export const evidenceGroupNames: Readonly<Record<string, string>> = {
  experimental: 'Experiments and curators',
  phylogenetic: 'Family trees',
  similarity: 'Similarity, reviewed',
  signature: 'Domains and families',
  vocabulary: 'Mapped keywords',
  rule: 'Automatic rules',
  unclassified: 'Everything else',
};
export const evidenceGroups: readonly string[] = Object.keys(evidenceGroupNames);
