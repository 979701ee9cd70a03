import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/NumberInput.css';
import { Checkbox, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { callRoute } from '../../app/api/call-route.js';
import { formatTime } from '../../shared/format.js';
import { type Field, type FormValues, referenceLists } from './schema-fields.js';
import styles from './workbench.module.css';

interface Props {
  fields: readonly Field[];
  values: FormValues;
  onChange: (values: FormValues) => void;
}

/** The fields of a schema; the default of each is shown beside it. */
export function SchemaForm({ fields, values, onChange }: Props) {
  return fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name]}
      onValue={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}

interface FieldProps {
  field: Field;
  value: unknown;
  onValue: (value: unknown) => void;
}

function FieldInput({ field, value, onValue }: FieldProps) {
  const { kind, label, description, required, options, usual } = field;
  const common = { label, description, required };
  const given = value === undefined || value === null ? '' : String(value);
  switch (kind) {
    case 'switch':
      return (
        <Checkbox
          label={label}
          description={description}
          checked={value === undefined ? usual === true : value === true}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          {...common}
          value={given}
          data={[
            { value: '', label: usual === undefined ? 'Choose' : `As usual: ${String(usual)}` },
            ...options,
          ]}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
    case 'choices':
      return (
        <Checkbox.Group {...common} value={Array.isArray(value) ? value.map(String) : []} onChange={onValue}>
          <div className={styles.choices}>
            {options.map((option) => (
              <Checkbox key={option} value={option} label={option} />
            ))}
          </div>
        </Checkbox.Group>
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          placeholder={usual === undefined || usual === null ? undefined : String(usual)}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onValue(typeof next === 'number' ? next : undefined)}
        />
      );
    case 'row':
      return <RowChoice field={field} value={given} onValue={onValue} />;
    case 'file':
      return (
        <label className={styles.file}>
          {label}
          <input
            type="file"
            required={required}
            onChange={(event) => onValue(event.currentTarget.files?.[0])}
          />
        </label>
      );
    case 'text':
      return (
        <TextInput
          {...common}
          placeholder={typeof usual === 'string' ? usual : undefined}
          value={given}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
    case 'long':
    case 'lines':
    case 'json':
      return (
        <Textarea
          {...common}
          placeholder={
            kind === 'lines' ? 'One a line, or separated by commas' : kind === 'json' ? '{ }' : undefined
          }
          value={given}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
  }
}

/** A row of another list, by its name. */
function RowChoice({ field, value, onValue }: FieldProps & { value: string }) {
  const { list, label } = referenceLists[field.name as keyof typeof referenceLists];
  const rows = useQuery({
    queryKey: ['rows', list],
    queryFn: () => callRoute(list, { query: { limit: 100 } }),
  });
  const found = Array.isArray(rows.data) ? (rows.data as Record<string, unknown>[]) : [];
  return (
    <NativeSelect
      label={field.label}
      description={field.description}
      required={field.required}
      value={value}
      data={[
        { value: '', label: found.length === 0 ? 'None is there yet' : 'Choose' },
        ...found.map((row) => ({ value: String(row.id), label: nameOf(row, label) })),
      ]}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

function nameOf(row: Record<string, unknown>, keys: readonly string[]): string {
  const words = keys.flatMap((key) => {
    const value = row[key];
    if (typeof value !== 'string' || value === '') return [];
    return [key === 'created_at' ? formatTime(value) : value];
  });
  return words.length === 0 ? String(row.id) : words.join(' · ');
}
