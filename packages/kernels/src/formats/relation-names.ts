/** The names of the relations of gene products that GPAD 2.0 writes as ids of the Relation Ontology. */
const nameOfRelation: Record<string, string> = {
  'BFO:0000050': 'part_of',
  'RO:0001025': 'located_in',
  'RO:0002263': 'acts_upstream_of',
  'RO:0002264': 'acts_upstream_of_or_within',
  'RO:0002325': 'colocalizes_with',
  'RO:0002326': 'contributes_to',
  'RO:0002327': 'enables',
  'RO:0002331': 'involved_in',
  'RO:0002432': 'is_active_in',
  'RO:0004032': 'acts_upstream_of_or_within_positive_effect',
  'RO:0004033': 'acts_upstream_of_or_within_negative_effect',
  'RO:0004034': 'acts_upstream_of_positive_effect',
  'RO:0004035': 'acts_upstream_of_negative_effect',
};

/** The relations between a gene product and a term that the Gene Ontology defines. */
export const relationNames: ReadonlySet<string> = new Set(Object.values(nameOfRelation));

/** Returns the name of a relation id; a name or an unknown id is returned as it is. */
export function relationName(relation: string): string {
  return Object.hasOwn(nameOfRelation, relation) ? nameOfRelation[relation] : relation;
}

const idOfRelation = new Map(Object.entries(nameOfRelation).map(([id, name]) => [name, id]));

/** Returns the id of a relation name; any other text is returned as it is. */
export function relationId(relation: string): string {
  return idOfRelation.get(relation) ?? relation;
}
