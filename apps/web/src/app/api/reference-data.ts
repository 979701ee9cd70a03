import type { Aspect } from '@kindred/contracts';
import { getJson } from './request.js';

export interface OntologySnapshot {
  id: string;
  obo_version: string;
  obo_url: string;
  loaded_at: string;
  go_term_count: number;
  term_counts: Record<Aspect | 'obsolete', number>;
  relationship_count: number;
}

export interface AnnotationSet {
  id: string;
  source: string;
  source_version: string;
  obo_version: string;
  annotation_count: number;
  protein_count: number;
  created_at: string;
}

export interface EmbeddingConfig {
  id: string;
  model_name: string;
  model_backend: string;
  pooling: string;
  layer_indices: number[];
  max_length: number;
  use_chunking: boolean;
  dimension: number;
  display_name: string | null;
  description: string | null;
  created_at: string;
  embedding_count: number;
}

export interface ProteinStats {
  total: number;
  canonical: number;
  reviewed: number;
  organisms: number;
}

export interface Protein {
  accession: string;
  entry_name: string | null;
  protein_name: string | null;
  gene_name: string | null;
  organism: string | null;
  length: number;
}

export interface SubgraphEdge {
  source: string;
  target: string;
  relation_type: string;
}

export const listSnapshots = () => getJson<OntologySnapshot[]>('/annotations/snapshots', { limit: 100 });
export const listAnnotationSets = () => getJson<AnnotationSet[]>('/annotations/sets', { limit: 100 });
export const listEmbeddingConfigs = () => getJson<EmbeddingConfig[]>('/embeddings/configs', { limit: 100 });
export const getProteinStats = () => getJson<ProteinStats>('/proteins/stats');
export const getProtein = (accession: string) =>
  getJson<Protein>(`/proteins/${encodeURIComponent(accession)}`);

const idsPerRequest = 300;

interface Subgraph {
  nodes: { go_id: string; aspect: Aspect }[];
  edges: SubgraphEdge[];
}

/** Child-to-parent edges (is_a, part_of) over the ancestors of the terms, within an aspect. */
export async function getAncestorEdges(
  snapshotId: string,
  goIds: readonly string[],
): Promise<SubgraphEdge[]> {
  const parts: string[][] = [];
  for (let start = 0; start < goIds.length; start += idsPerRequest) {
    parts.push(goIds.slice(start, start + idsPerRequest));
  }
  const graphs = await Promise.all(
    parts.map((part) =>
      getJson<Subgraph>(`/annotations/snapshots/${snapshotId}/subgraph`, {
        go_ids: part.join(','),
      }),
    ),
  );
  return graphs.flatMap(edgesWithinAspect);
}

function edgesWithinAspect({ nodes, edges }: Subgraph): SubgraphEdge[] {
  const aspectOf = new Map(nodes.map((node) => [node.go_id, node.aspect]));
  return edges.filter((edge) => aspectOf.get(edge.source) === aspectOf.get(edge.target));
}

/** GO ids that the annotation set has for a protein, without those denied by NOT. */
export async function getKnownTerms(accession: string, annotationSetId: string): Promise<Set<string>> {
  const path = `/proteins/${encodeURIComponent(accession)}/annotations`;
  const rows = await getJson<{ go_id: string; qualifier: string | null; annotation_set_id: string }[]>(path, {
    limit: 5000,
  });
  const known = rows.filter(
    (row) => row.annotation_set_id === annotationSetId && !(row.qualifier ?? '').split('|').includes('NOT'),
  );
  return new Set(known.map((row) => row.go_id));
}
