/** Relations over which annotations propagate: a protein with a term has every is_a and part_of parent too. */
export const propagatingRelations: readonly string[] = ['is_a', 'part_of'];
