/** Returns the file format that a line indicates; null if it indicates none (other comments, blank lines). */
export function detectFormat(line: string): 'gaf' | 'gpad' | null {
  if (/^!\s*gaf-version\b/i.test(line)) return 'gaf';
  if (/^!\s*(gpa|gpad)-version\b/i.test(line)) return 'gpad';
  if (line.startsWith('!') || line.trim() === '') return null;
  // GAF has 15 to 17 columns, and GPAD 10 to 12. A broken line with 13 or 14 columns goes to the GAF reader, which reports it.
  const columns = line.split('\t').length;
  return columns >= 10 && columns <= 12 ? 'gpad' : 'gaf';
}
