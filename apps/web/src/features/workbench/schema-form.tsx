import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/NumberInput.css';
import { Checkbox, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { useNamedRows } from './named-rows.js';
import { type Field, type FormValues, labelOf, type RowList } from './schema-fields.js';
import { SourceField } from './source-field.js';
import styles from './workbench.module.css';

interface Props {
  fields: readonly Field[];
  values: FormValues;
  onChange: (values: FormValues) => void;
}

/** Shows a form with the fields of a schema. The default of each is shown beside it. */
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
  const { kind, label, description, required, options, list, usual } = field;
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
    case 'group':
      return <Group field={field} value={value} onValue={onValue} />;
    case 'row':
      return list && <RowChoice common={common} list={list} value={given} onValue={onValue} />;
    case 'rows':
      return list && <RowChoices common={common} list={list} value={value} onValue={onValue} />;
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
    case 'source':
      return <SourceField field={field} value={given} onValue={onValue} />;
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

/** Shows the fields of an object. More than a few are folded, because most of them keep their defaults. */
function Group({ field: { label, description, parts, usual }, value, onValue }: FieldProps) {
  const fields = (
    <div className={styles.group}>
      {description !== undefined && <p className={styles.hint}>{description}</p>}
      {defaultWords(usual) !== '' && (
        <p className={styles.hint}>With nothing filled in: {defaultWords(usual)}.</p>
      )}
      <SchemaForm fields={parts} values={(value ?? {}) as FormValues} onChange={onValue} />
    </div>
  );
  return parts.length > mostUnfolded ? (
    <details>
      <summary>{label}</summary>
      {fields}
    </details>
  ) : (
    <fieldset className={styles.fieldset}>
      <legend>{label}</legend>
      {fields}
    </fieldset>
  );
}

const mostUnfolded = 10;

/** Writes a default such as `Embedding similarity 1`; empty if nothing is set. */
function defaultWords(usual: unknown): string {
  if (typeof usual !== 'object' || usual === null) return '';
  return Object.entries(usual)
    .map(([name, value]) => `${labelOf(name)} ${String(value)}`)
    .join(', ');
}

interface RowProps extends Pick<FieldProps, 'value' | 'onValue'> {
  common: Pick<Field, 'label' | 'description' | 'required'>;
  list: RowList;
}

/** Offers the rows of another list by their names, to choose one. */
function RowChoice({ common, list, value, onValue }: RowProps & { value: string }) {
  const rows = useNamedRows(list);
  return (
    <NativeSelect
      {...common}
      value={value}
      data={[
        { value: '', label: rows.length === 0 ? 'None is there yet' : 'Choose' },
        ...rows.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

/** Offers the rows of another list by their names, to choose several. */
function RowChoices({ common, list, value, onValue }: RowProps) {
  const rows = useNamedRows(list);
  return (
    <Checkbox.Group
      {...common}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={(chosen) => onValue(chosen.length === 0 ? undefined : chosen)}
    >
      <div className={styles.rowChoices}>
        {rows.length === 0 && 'None is there yet'}
        {rows.map(({ id, name }) => (
          <Checkbox key={id} value={id} label={name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
