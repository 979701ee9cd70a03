import type { Reply } from '@kindred/client';
import { api, rowsOrNone } from './client.js';

export type AnnotationSet = Reply<'GET', '/annotations/sets'>[number];
export type EmbeddingConfig = Reply<'GET', '/embeddings/configs'>[number];
export type Protein = Reply<'GET', '/proteins/:accession'>;
type Subgraph = Reply<'GET', '/annotations/snapshots/:id/subgraph'>;
export type SubgraphEdge = Subgraph['edges'][number];

export const listSnapshots = () => rowsOrNone(api.get('/annotations/snapshots', { query: { limit: 100 } }));
export const listAnnotationSets = () => rowsOrNone(api.get('/annotations/sets', { query: { limit: 100 } }));
export const listEmbeddingConfigs = () =>
  rowsOrNone(api.get('/embeddings/configs', { query: { limit: 100 } }));
export const listSlims = () => rowsOrNone(api.get('/annotations/slims', { query: { limit: 100 } }));
export const getProteinStats = () => api.get('/proteins/stats');
export const getProtein = (accession: string) => api.get('/proteins/:accession', { params: { accession } });

export const getTerm = (snapshotId: string, goId: string) =>
  api.get('/annotations/snapshots/:id/terms/:go_id', { params: { id: snapshotId, go_id: goId } });
export type ProteinAnnotation = Reply<'GET', '/proteins/:accession/annotations'>[number];
export const getProteinAnnotations = (accession: string) =>
  api.get('/proteins/:accession/annotations', { params: { accession }, query: { limit: 5000 } });
const idsPerRequest = 300;

/** Terms with all terms above them. */
export interface Ancestry {
  /** The names of terms by GO id. */
  names: ReadonlyMap<string, string>;
  /** The edges from child to parent (is_a, part_of) within an aspect. */
  edges: readonly SubgraphEdge[];
}

/** Fetches the terms and their ancestors within their aspect. */
export async function getAncestry(snapshotId: string, goIds: readonly string[]): Promise<Ancestry> {
  const parts: string[][] = [];
  for (let start = 0; start < goIds.length; start += idsPerRequest) {
    parts.push(goIds.slice(start, start + idsPerRequest));
  }
  const graphs = await Promise.all(
    parts.map((part) =>
      api.get('/annotations/snapshots/:id/subgraph', {
        params: { id: snapshotId },
        query: { go_ids: part.join(',') },
      }),
    ),
  );
  return {
    names: new Map(graphs.flatMap(({ nodes }) => nodes.map(({ go_id, name }) => [go_id, name] as const))),
    edges: graphs.flatMap(edgesWithinAspect),
  };
}

function edgesWithinAspect({ nodes, edges }: Subgraph): SubgraphEdge[] {
  const aspectOf = new Map(nodes.map((node) => [node.go_id, node.aspect]));
  return edges.filter((edge) => aspectOf.get(edge.source) === aspectOf.get(edge.target));
}
