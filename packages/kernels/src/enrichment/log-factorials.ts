let table = new Float64Array([0, 0]);

/** Returns the natural logarithms of 0! to n!. The table grows and is shared. */
export function logFactorials(n: number): Float64Array {
  if (n < table.length) return table;
  const grown = new Float64Array(Math.max(n + 1, 2 * table.length));
  grown.set(table);
  // Kahan's sum is needed, because plain addition loses about a digit by n = 10,000.
  let carry = 0;
  let sum = table[table.length - 1];
  for (let i = table.length; i < grown.length; i++) {
    const value = Math.log(i) - carry;
    const next = sum + value;
    carry = next - sum - value;
    sum = next;
    grown[i] = sum;
  }
  table = grown;
  return table;
}
