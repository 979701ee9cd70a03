/** A line or record that could not be read, with a reason that says what was expected. */
export interface Rejection {
  /** The line of the file, from 1. */
  line: number;
  /** The accession or id of the record that the line belongs to, where known. */
  record: string | null;
  reason: string;
}

/** An error that is thrown when reading cannot continue, or in strict mode. */
export class FormatError extends Error implements Rejection {
  readonly line: number;
  readonly record: string | null;
  readonly reason: string;

  constructor(fault: Rejection) {
    super(`line ${fault.line}${fault.record === null ? '' : ` (record ${fault.record})`}: ${fault.reason}`);
    this.name = 'FormatError';
    this.line = fault.line;
    this.record = fault.record;
    this.reason = fault.reason;
  }
}

/** Quotes a text for a reason: at most 40 characters, with control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
