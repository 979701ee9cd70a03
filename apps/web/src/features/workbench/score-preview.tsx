import { Button, NativeSelect } from '@mantine/core';
import { routeRow } from '@kindred/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type PreviewedRecipe,
  previewScore,
  type ScorePreview as Preview,
} from '../../app/api/laboratory.js';
import { aspectNames } from '../../shared/aspect.js';
import { formatReal, plural } from '../../shared/format.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import { TermLink } from '../../shared/term-link.js';
import { useNamedRows } from './named-rows.js';
import { checkedValues, type Field, type FormValues, rowLists } from './schema-fields.js';
import styles from './workbench.module.css';

const row = routeRow('POST', '/scoring/prediction-sets/:id/preview');
const inPreview = new Set(Object.keys((row?.body as { shape?: object } | undefined)?.shape ?? {}));
const list = rowLists.prediction_set_id;

interface Props {
  /** Fields of the form of a recipe, and what they hold. */
  fields: readonly Field[];
  values: FormValues;
}

/** Shows the effect of an unsaved recipe on the best terms of a run. */
export function ScorePreview({ fields, values }: Props) {
  const [setId, setSetId] = useState('');
  const preview = useMutation({
    mutationFn: async () => {
      const recipe = checkedValues(
        row?.body,
        fields.filter(({ name }) => inPreview.has(name)),
        values,
      );
      return previewScore(setId, recipe as PreviewedRecipe);
    },
  });
  return (
    <fieldset className={styles.fieldset}>
      <legend>Preview on a run</legend>
      <div className={styles.group}>
        <p className={styles.hint}>Nothing is saved. The first proteins of the run, with their best terms.</p>
        {list !== undefined && <RunChoice value={setId} onValue={setSetId} />}
        <div>
          <Button
            variant="default"
            disabled={setId === ''}
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            Show the preview
          </Button>
        </div>
      </div>
      {preview.isError && <ProblemNote error={preview.error} title="No preview" />}
      {preview.isSuccess && <Shown preview={preview.data} />}
    </fieldset>
  );
}

function RunChoice({ value, onValue }: { value: string; onValue: (id: string) => void }) {
  const rows = useNamedRows(list as NonNullable<typeof list>);
  return (
    <NativeSelect
      label="Run"
      value={value}
      data={[
        { value: '', label: rows.length === 0 ? 'None is there yet' : 'Choose' },
        ...rows.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

function Shown({ preview: { proteins, query_count: all } }: { preview: Preview }) {
  const without = proteins.filter(({ term_count: terms }) => terms === 0).length;
  return (
    <div role="status">
      <p className={styles.hint}>
        {proteins.length} of {plural(all, 'protein')}
        {without > 0 && `, ${without} of them without a term`}. Places are among the terms of the protein.
      </p>
      {proteins
        .filter(({ terms }) => terms.length > 0)
        .map((protein) => (
          <ProteinTerms key={protein.accession} protein={protein} />
        ))}
    </div>
  );
}

function ProteinTerms({
  protein: { accession, term_count: all, terms },
}: {
  protein: Preview['proteins'][number];
}) {
  return (
    <>
      <h2 className={`${table.breaking} ${styles.previewed}`}>
        {accession} <span className={table.muted}>{plural(all, 'term')}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <div className={table.scroll} tabIndex={0} role="group" aria-label={`Terms of ${accession}`}>
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Term</th>
              <th scope="col">Aspect</th>
              <th scope="col" className={table.number}>
                Score before
              </th>
              <th scope="col" className={table.number}>
                Score after
              </th>
              <th scope="col" className={table.number}>
                Place before
              </th>
              <th scope="col" className={table.number}>
                Place after
              </th>
              <th scope="col" className={table.number}>
                Moved
              </th>
            </tr>
          </thead>
          <tbody>
            {terms.map((term) => (
              <tr key={term.go_id}>
                <td data-label="Term">
                  <TermLink goId={term.go_id} name={term.go_name} />
                </td>
                <td data-label="Aspect">{aspectNames[term.aspect]}</td>
                <td data-label="Score before" className={table.number}>
                  {formatReal(term.score_before)}
                </td>
                <td data-label="Score after" className={table.number}>
                  {formatReal(term.score_after)}
                </td>
                <td data-label="Place before" className={table.number}>
                  {term.place_before}
                </td>
                <td data-label="Place after" className={table.number}>
                  {term.place_after}
                </td>
                <td data-label="Moved" className={`${table.number} ${table.nowrap} ${table.muted}`}>
                  {moveWords(term)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Words for a change of place: `3 up`, `1 down`. */
function moveWords({
  place_before: before,
  place_after: after,
}: Preview['proteins'][number]['terms'][number]) {
  if (before === after) return 'stays';
  return before > after ? `${before - after} up` : `${after - before} down`;
}
