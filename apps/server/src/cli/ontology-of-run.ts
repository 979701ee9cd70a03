import type { Client, Reply } from '@kindred/client';
import { OntologyGraph } from '@kindred/kernels/ontology';

/** The terms of a run and those above them, as the ontology of the run has them. */
export interface TermsOfRun {
  graph: OntologyGraph;
  nameOf(goId: string): string | null;
  aspectOf(goId: string): string | null;
}

type Subgraph = Reply<'GET', '/annotations/snapshots/:id/subgraph'>;
type Node = Subgraph['nodes'][number];
/** The API closes this many terms at once. */
const termsOfRequest = 500;

/** Reads terms with all their ancestors. A secondary id stands for its term; an id that the ontology lacks is not in the graph. */
export async function readTerms(client: Client, id: string, goIds: readonly string[]): Promise<TermsOfRun> {
  const nodes = new Map<string, Node>();
  const edges = new Map<string, Subgraph['edges'][number]>();
  const secondary: string[] = [];
  for (let from = 0; from < goIds.length; from += termsOfRequest) {
    const asked = goIds.slice(from, from + termsOfRequest);
    const part = await client.get('/annotations/snapshots/:id/subgraph', {
      params: { id },
      query: { go_ids: asked.join(',') },
    });
    for (const node of part.nodes) nodes.set(node.go_id, node);
    for (const edge of part.edges) edges.set(`${edge.source} ${edge.relation_type} ${edge.target}`, edge);
    const absent = new Set(part.unknown);
    secondary.push(...asked.filter((goId) => !nodes.has(goId) && !absent.has(goId)));
  }
  const mainIds = new Map<string, string>();
  for (const goId of secondary) {
    const term = await client.get('/annotations/snapshots/:id/terms/:go_id', { params: { id, go_id: goId } });
    mainIds.set(goId, term.go_id);
  }
  const graph = graphOf([...nodes.values()], [...edges.values()], mainIds);
  const nodeOf = (goId: string) => nodes.get(mainIds.get(goId) ?? goId);
  return {
    graph,
    nameOf: (goId) => nodeOf(goId)?.name ?? null,
    aspectOf: (goId) => nodeOf(goId)?.aspect ?? null,
  };
}

function graphOf(
  nodes: Node[],
  edges: Subgraph['edges'],
  mainIds: ReadonlyMap<string, string>,
): OntologyGraph {
  const row = new Map(nodes.map(({ go_id }, i) => [go_id, i]));
  const rowOf = (goId: string) => row.get(goId) as number;
  const namespaces = [...new Set(nodes.map(({ aspect }) => aspect))];
  const relationNames = [...new Set(edges.map(({ relation_type }) => relation_type))];
  const secondary = [...mainIds].filter(([, main]) => row.has(main));
  return new OntologyGraph({
    termIds: nodes.map(({ go_id }) => go_id),
    namespaces,
    namespace: Uint8Array.from(nodes, ({ aspect }) => namespaces.indexOf(aspect)),
    obsolete: Uint8Array.from(nodes, ({ is_obsolete }) => Number(is_obsolete)),
    edgeChild: Int32Array.from(edges, ({ source }) => rowOf(source)),
    edgeParent: Int32Array.from(edges, ({ target }) => rowOf(target)),
    edgeRelation: Uint8Array.from(edges, ({ relation_type }) => relationNames.indexOf(relation_type)),
    relationNames,
    altIds: secondary.map(([goId]) => goId),
    altTerms: Int32Array.from(secondary, ([, main]) => rowOf(main)),
  });
}
