import '@mantine/core/styles/Checkbox.css';
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import {
  type ExportFormatName,
  exportFormatNames,
  exportFormats,
  isBinaryFormat,
  textFormatOf,
} from '@kindred/contracts/resources/exports';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  exportAddress,
  predictionsCafa,
  predictionsTsv,
  type PredictionSetDetail,
} from '../../app/api/predictions.js';
import { aspectNames, aspectOrder, isAspect } from '../../shared/aspect.js';
import { Loaded } from '../../shared/loading.js';
import { firstLines } from '../../shared/first-lines.js';
import { slimsQuery } from './slim-select.js';
import styles from './overview.module.css';

interface Option {
  value: string;
  label: string;
}

interface Props {
  set: PredictionSetDetail;
  onClose: () => void;
}

/** The formats that have no filters: files of earlier releases, whose columns programs rely on. */
const wholeFiles = [
  {
    value: 'predictions.tsv',
    label: 'predictions.tsv: 32 columns, a line per term and source',
    address: predictionsTsv,
  },
  { value: 'predictions-cafa.tsv', label: 'CAFA file with every score', address: predictionsCafa },
] as const;

const certainties = [
  { value: '', label: 'The whole answer' },
  { value: '0.5', label: 'Likely and strong (probability from 50 %)' },
  { value: '0.8', label: 'Only strong (probability from 80 %)' },
] as const;

const informative = [
  { value: '', label: 'All terms' },
  { value: '3', label: 'At most one in 8 annotated proteins has it (3 bits)' },
  { value: '5', label: 'At most one in 32 annotated proteins has it (5 bits)' },
  { value: '8', label: 'At most one in 256 annotated proteins has it (8 bits)' },
] as const;

const formatChoices = [
  ...exportFormatNames.map((name) => ({
    value: name,
    label: `${name.toUpperCase()}: ${exportFormats[name].description}`,
  })),
  ...wholeFiles.map(({ value, label }) => ({ value, label })),
];

const noFilters = { certainty: '', bits: '', aspect: '', slim: '', all: false, specific: false };
type Filters = typeof noFilters;

function queryOf({ certainty, bits, aspect, slim, all, specific }: Filters) {
  return {
    min_probability: certainty === '' ? undefined : Number(certainty),
    min_ic: bits === '' ? undefined : Number(bits),
    aspect: isAspect(aspect) ? aspect : undefined,
    slim: slim === '' ? undefined : slim,
    all: all ? ('true' as const) : undefined,
    specific: specific ? ('true' as const) : undefined,
  };
}

/** Offers every file that the service writes of a run, with its first lines before anything is downloaded. */
export function ExportDialog({ set, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [format, setFormat] = useState<string>('tsv');
  const [filters, setFilters] = useState(noFilters);
  useEffect(() => dialog.current?.showModal(), []);
  const whole = wholeFiles.find(({ value }) => value === format);
  const named = exportFormatNames.find((name) => name === format);
  const addressOf = (name: ExportFormatName) => exportAddress(set.id, { format: name, ...queryOf(filters) });
  const address = named === undefined ? (whole ?? wholeFiles[0]).address(set.id) : addressOf(named);
  const isBinary = named !== undefined && isBinaryFormat(named);
  const previewed = isBinary ? addressOf(textFormatOf(named)) : address;
  const preview = useQuery({
    queryKey: ['export-preview', previewed],
    queryFn: ({ signal }) => firstLines(previewed, signal),
  });
  return (
    <dialog ref={dialog} className={styles.dialog} aria-label="Export this run" onClose={onClose}>
      <div className={styles.dialogForm}>
        <h2>Export</h2>
        <NativeSelect
          label="Format"
          value={format}
          data={formatChoices}
          onChange={(event) => setFormat(event.currentTarget.value)}
        />
        {named !== undefined && <FilterFields filters={filters} onChange={setFilters} />}
        <h3>{isBinary ? 'First rows, as text' : 'First lines'}</h3>
        <div className={styles.previewBox}>
          <Loaded query={preview}>
            {(lines) => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keyboard, too
              <pre className={styles.preview} tabIndex={0}>
                {lines.length === 0 ? 'The file is empty: no term passes these filters.' : lines.join('\n')}
              </pre>
            )}
          </Loaded>
        </div>
        <div className={styles.choices}>
          <Button variant="default" onClick={() => dialog.current?.close()}>
            Close
          </Button>
          <Button component="a" href={address} download>
            Download
          </Button>
        </div>
      </div>
    </dialog>
  );
}

function Choice({ label, on, set }: { label: string; on: boolean; set: (on: boolean) => void }) {
  return <Checkbox label={label} checked={on} onChange={(event) => set(event.currentTarget.checked)} />;
}

interface FilterFieldsProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const slims = useQuery(slimsQuery);
  const slimNames = [...new Set(slims.data?.map(({ name }) => name) ?? [])];
  const select = (name: 'certainty' | 'bits' | 'aspect' | 'slim', label: string, data: Option[]) => (
    <NativeSelect
      label={label}
      value={filters[name]}
      data={data}
      onChange={(event) => onChange({ ...filters, [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      {select('certainty', 'Certainty', [...certainties])}
      {select('aspect', 'Aspect', [
        { value: '', label: 'All three' },
        ...aspectOrder.map((value) => ({ value, label: aspectNames[value] })),
      ])}
      {select('bits', 'Information', [...informative])}
      {slimNames.length > 0 &&
        select('slim', 'Terms', [
          { value: '', label: 'As they are predicted' },
          ...slimNames.map((name) => ({ value: name, label: `Those of ${name}` })),
        ])}
      <Choice
        label="Also less certain terms, below the end of the answer"
        on={filters.all}
        set={(all) => onChange({ ...filters, all })}
      />
      <Choice
        label="Only the most specific terms, without those that they imply"
        on={filters.specific}
        set={(specific) => onChange({ ...filters, specific })}
      />
    </>
  );
}
