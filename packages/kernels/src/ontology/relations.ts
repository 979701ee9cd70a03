/** Relations over which annotations propagate: a protein with a term also has every is_a and part_of parent of the term. */
export const propagatingRelations: readonly string[] = ['is_a', 'part_of'];
