/**
 * Returns the place of each row among the rows of its group, from 1.
 *
 * @param group number of each row's group; rows of a group are side by side: [rows]
 */
export function ranksInGroups(group: Int32Array): Int32Array {
  const rank = new Int32Array(group.length);
  for (let row = 0; row < group.length; row++)
    rank[row] = row > 0 && group[row] === group[row - 1] ? rank[row - 1] + 1 : 1;
  return rank;
}
