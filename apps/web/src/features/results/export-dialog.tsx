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

const formatChoices = [
  ...exportFormatNames.map((name) => ({
    value: name,
    label: `${name.toUpperCase()}: ${exportFormats[name].description}`,
  })),
  ...wholeFiles.map(({ value, label }) => ({ value, label })),
];

/** Offers every file that the service writes of a run, with its first lines before anything is downloaded. */
export function ExportDialog({ set, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [format, setFormat] = useState<string>('tsv');
  const [certainty, setCertainty] = useState('');
  const [aspect, setAspect] = useState('');
  const [slim, setSlim] = useState('');
  const [all, setAll] = useState(false);
  const [specific, setSpecific] = useState(false);
  const slims = useQuery(slimsQuery);
  const slimNames = [...new Set(slims.data?.map(({ name }) => name) ?? [])];
  useEffect(() => dialog.current?.showModal(), []);
  const whole = wholeFiles.find(({ value }) => value === format);
  const named = exportFormatNames.find((name) => name === format);
  const addressOf = (name: ExportFormatName) =>
    exportAddress(set.id, {
      format: name,
      min_probability: certainty === '' ? undefined : Number(certainty),
      aspect: isAspect(aspect) ? aspect : undefined,
      slim: slim === '' ? undefined : slim,
      all: all ? 'true' : undefined,
      specific: specific ? 'true' : undefined,
    });
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
        {named !== undefined && (
          <>
            <NativeSelect
              label="Certainty"
              value={certainty}
              data={[...certainties]}
              onChange={(event) => setCertainty(event.currentTarget.value)}
            />
            <NativeSelect
              label="Aspect"
              value={aspect}
              data={[
                { value: '', label: 'All three' },
                ...aspectOrder.map((value) => ({ value, label: aspectNames[value] })),
              ]}
              onChange={(event) => setAspect(event.currentTarget.value)}
            />
            {slimNames.length > 0 && (
              <NativeSelect
                label="Terms"
                value={slim}
                data={[
                  { value: '', label: 'As they are predicted' },
                  ...slimNames.map((name) => ({ value: name, label: `Those of ${name}` })),
                ]}
                onChange={(event) => setSlim(event.currentTarget.value)}
              />
            )}
            <Choice label="Also less certain terms, below the end of the answer" on={all} set={setAll} />
            <Choice
              label="Only the most specific terms, without those that they imply"
              on={specific}
              set={setSpecific}
            />
          </>
        )}
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
