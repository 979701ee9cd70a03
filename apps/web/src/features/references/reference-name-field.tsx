import { TextInput } from '@mantine/core';
import { referenceName } from '@kindred/contracts/resources/references';

/** Says whether a text may name a reference. */
export const mayName = (text: string): boolean => referenceName.safeParse(text).success;

/** Asks for the name of a new reference. */
export function ReferenceName({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="Small letters, digits and . _ -, such as my-proteins"
      required
      maxLength={64}
      value={value}
      error={value !== '' && !mayName(value) ? 'Use small letters, digits and . _ - only.' : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
