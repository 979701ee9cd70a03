/** What a line says of its file's format; null where it does not say (other comments, blank lines). */
export function detectFormat(line: string): 'gaf' | 'gpad' | null {
  if (/^!\s*gaf-version\b/i.test(line)) return 'gaf';
  if (/^!\s*(gpa|gpad)-version\b/i.test(line)) return 'gpad';
  if (line.startsWith('!') || line.trim() === '') return null;
  // GAF has 15 to 17 columns, GPAD 10 to 12. A broken line in between is for the GAF reader to report.
  const columns = line.split('\t').length;
  return columns >= 10 && columns <= 12 ? 'gpad' : 'gaf';
}
