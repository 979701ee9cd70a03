import type { Aspect } from '@kindred/contracts';
import type { snapshotReply, subgraphReply, termReply } from '@kindred/contracts/resources/snapshots';
import type { z } from 'zod';
import type {
  GoTermRow,
  OntologySnapshotRow,
  Subgraph,
} from '../../../store/ontology/ontology.repository.js';

export function presentSnapshot(row: OntologySnapshotRow): z.infer<typeof snapshotReply> {
  const { P, F, C, obsolete } = row.term_counts;
  return {
    id: row.id,
    obo_version: row.obo_version,
    obo_url: row.obo_url,
    ia_url: row.ia_url,
    loaded_at: row.loaded_at,
    go_term_count: P + F + C + obsolete,
    term_counts: { P, F, C, obsolete },
    relationship_count: row.relationship_count,
    alt_id_count: row.alt_id_count,
  };
}

export function presentTerm(row: GoTermRow): z.infer<typeof termReply> {
  const { go_id, name, definition, is_obsolete, replaced_by } = row;
  return { go_id, name, aspect: row.aspect as Aspect, definition, is_obsolete, replaced_by };
}

/** Gives the nodes within `depth` edges, and the edges between them. */
export function presentSubgraph(
  graph: Subgraph,
  depth = Number.POSITIVE_INFINITY,
): z.infer<typeof subgraphReply> {
  const nodes = graph.nodes.filter((node) => node.depth <= depth);
  const kept = new Set(nodes.map((node) => node.go_id));
  return {
    nodes: nodes.map((node) => ({
      id: node.go_id,
      go_id: node.go_id,
      name: node.name,
      aspect: node.aspect as Aspect,
      is_obsolete: node.is_obsolete,
      is_query: node.depth === 0,
      depth: node.depth,
    })),
    edges: graph.edges
      .filter((edge) => kept.has(edge.child) && kept.has(edge.parent))
      .map((edge) => ({ source: edge.child, target: edge.parent, relation_type: edge.relation_type })),
    unknown: graph.unknown,
  };
}
