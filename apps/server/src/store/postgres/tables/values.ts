/**
 * The rows as the driver hands them out: bigint as number (every count of ours is below 2^53), timestamps as ISO 8601 text with
 * microseconds and Z (a Date would lose the microseconds that cursors need), jsonb parsed. jsonb parameters are given as JSON text or objects.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- jsonb holds what the schema of its writer says; presenters give it a type.
export type Json = any;
export type Timestamp = string;
