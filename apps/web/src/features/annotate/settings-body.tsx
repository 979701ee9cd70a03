import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/NumberInput.css';
import { Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { aspects } from '@kindred/contracts/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { type AnnotateOptions, getReference } from '../../app/api/annotate.js';
import {
  type EmbeddingConfig,
  listAnnotationSets,
  listEmbeddingConfigs,
} from '../../app/api/reference-data.js';
import { modelsOfReference } from '../../app/api/references.js';
import { aspectNames, isAspect } from '../../shared/aspect.js';
import { sourceChoiceNames, evidenceGroupNames, evidenceGroups } from '../../shared/evidence.js';
import { plural } from '../../shared/format.js';
import { referenceName } from '../../shared/reference-name.js';
import styles from './annotate.module.css';

/** Choices that are typed, separated by commas. */
const sourceTexts = [
  {
    name: 'sources',
    description: 'Who assigned the annotation; empty: everyone',
    placeholder: 'UniProt, InterPro',
  },
  { name: 'aspects', description: 'P, F or C; empty: all', placeholder: 'F' },
  {
    name: 'source_taxa',
    description: 'NCBI ids, with all taxa below them; empty: all',
    placeholder: '40674',
  },
  { name: 'exclude_taxa', description: 'NCBI ids, with all taxa below them', placeholder: '9606' },
] as const;

interface Props {
  options: AnnotateOptions;
  onOptions: (options: AnnotateOptions) => void;
}

/** Shows the choices of the settings of a run. */
export function SettingsBody({ options, onOptions }: Props) {
  const sets = useQuery({ queryKey: ['annotation-sets'], queryFn: listAnnotationSets });
  const configs = useQuery({ queryKey: ['embedding-configs'], queryFn: listEmbeddingConfigs });
  const change = (part: AnnotateOptions) => onOptions({ ...options, ...part });
  const isKnn = options.method === 'knn';
  return (
    <div className={styles.settingsBody}>
      <NativeSelect
        label="Compare with"
        value={options.annotation_set_id ?? ''}
        data={[
          { value: '', label: 'Chosen by the service (recommended)' },
          ...(sets.data ?? []).map((set) => ({
            value: set.id,
            label: `${referenceName(set)}: ${plural(set.protein_count, 'protein')}`,
          })),
        ]}
        onChange={(event) => change({ annotation_set_id: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label="Similarity model"
        value={options.embedding_config_id ?? ''}
        data={[
          { value: '', label: 'Chosen by the service (recommended)' },
          ...(configs.data ?? [])
            .filter((config) => config.embedding_count > 0)
            .map((config) => ({ value: config.id, label: config.display_name ?? config.model_name })),
        ]}
        onChange={(event) => {
          const id = event.currentTarget.value || undefined;
          change({ embedding_config_id: id, ...withoutModel(options, id) });
        }}
      />
      <FurtherModels options={options} configs={configs.data ?? []} change={change} />
      <NativeSelect
        label="Method"
        description="The first gives calibrated certainty; the second only copies from the most similar proteins"
        value={options.method ?? 'combined'}
        data={[
          { value: 'combined', label: 'Combined evidence (recommended)' },
          { value: 'knn', label: 'Most similar proteins alone' },
        ]}
        onChange={(event) =>
          onOptions({
            annotation_set_id: options.annotation_set_id,
            embedding_config_id: options.embedding_config_id,
            bad_records: options.bad_records,
            more_embedding_config_ids: options.more_embedding_config_ids,
            ...Object.fromEntries(
              Object.keys(sourceChoiceNames).map((name) => [name, options[name as keyof AnnotateOptions]]),
            ),
            method: event.currentTarget.value === 'knn' ? 'knn' : undefined,
          })
        }
      />
      {isKnn ? (
        <NumberInput
          label="Similar proteins per sequence"
          min={1}
          max={500}
          value={Number(options.limit_per_entry ?? 5)}
          onChange={(value) => change({ limit_per_entry: typeof value === 'number' ? value : undefined })}
        />
      ) : (
        <NativeSelect
          label="Predict"
          value={options.aspect ?? ''}
          data={[
            { value: '', label: 'Everything' },
            ...aspects.map((aspect) => ({ value: aspect, label: `${aspectNames[aspect]} alone` })),
          ]}
          onChange={(event) => {
            const aspect = event.currentTarget.value;
            change({ aspect: isAspect(aspect) ? aspect : undefined });
          }}
        />
      )}
      <SourceChoices options={options} change={change} />
      {!isKnn && (
        <Checkbox
          label="Terms from the sequence alone where nothing is similar"
          description="Of processes and components, where the sequence network tells the protein from noise; marked as such."
          checked={options.sequence_only !== false}
          onChange={(event) => change({ sequence_only: event.currentTarget.checked ? undefined : false })}
        />
      )}
      {!isKnn && <HitsOfOthers hits={options.hits} onHits={(hits) => change({ hits })} />}
      <Checkbox
        label="Leave out records that cannot be read"
        description="Instead of refusing the upload: letters that are no residues, names given twice. What is left out is listed."
        checked={options.bad_records === 'leave_out'}
        onChange={(event) => change({ bad_records: event.currentTarget.checked ? 'leave_out' : undefined })}
      />
    </div>
  );
}

/** Returns the further models without the one that is the main model now. */
function withoutModel({ more_embedding_config_ids: more }: AnnotateOptions, id: string | undefined) {
  const kept = more?.split(',').filter((one) => one !== id) ?? [];
  return { more_embedding_config_ids: kept.length === 0 ? undefined : kept.join(',') };
}

/** Offers models besides the main one; nothing if the reference has vectors of one model alone. */
function FurtherModels({
  options,
  configs,
  change,
}: {
  options: AnnotateOptions;
  configs: readonly EmbeddingConfig[];
  change: (part: AnnotateOptions) => void;
}) {
  const chosen = useQuery({ queryKey: ['annotate-reference'], queryFn: () => getReference() }).data;
  const main = options.embedding_config_id ?? chosen?.embedding_config_id;
  const set = options.annotation_set_id ?? chosen?.annotation_set_id;
  const models = useQuery({
    queryKey: ['models-of-reference', set],
    queryFn: () => modelsOfReference(set ?? ''),
    enabled: set !== undefined,
  }).data;
  const others = configs.filter(
    ({ id, embedding_count }) => id !== main && (models?.has(id) ?? embedding_count > 0),
  );
  if (main === undefined || models === undefined || others.length === 0) return null;
  return (
    <Checkbox.Group
      label="Further models"
      description="Proteins that are similar by any of the models count. Probabilities need a calibration of just these models."
      value={options.more_embedding_config_ids?.split(',') ?? []}
      onChange={(ids) => change({ more_embedding_config_ids: ids.join(',') || undefined })}
    >
      <div className={styles.groups}>
        {others.map(({ id, display_name, model_name }) => (
          <Checkbox key={id} value={id} label={display_name ?? model_name} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

/** Offers to send hits that another program found. */
function HitsOfOthers({
  hits,
  onHits,
}: {
  hits: File | undefined;
  onHits: (hits: File | undefined) => void;
}) {
  return (
    <TextInput
      type="file"
      label="Hits of another search"
      description={`BLAST's table of 12 columns, as DIAMOND, MMseqs2 and Foldseek write it, of these sequences or their structures. They join the service's own hits; terms that they change have a score and no probability.${hits === undefined ? '' : ` Chosen: ${hits.name}`}`}
      onChange={(event) => onHits(event.currentTarget.files?.[0])}
    />
  );
}

/** Offers the choices of the annotations and proteins of the reference that count. */
function SourceChoices({
  options,
  change,
}: {
  options: AnnotateOptions;
  change: (part: AnnotateOptions) => void;
}) {
  const groups = options.evidence?.split(',') ?? [...evidenceGroups];
  return (
    <>
      <Checkbox.Group
        label="Evidence of the source proteins that counts"
        value={groups}
        onChange={(chosen) =>
          change({
            evidence:
              chosen.length === 0 || chosen.length === evidenceGroups.length ? undefined : chosen.join(','),
          })
        }
      >
        <div className={styles.groups}>
          {evidenceGroups.map((group) => (
            <Checkbox key={group} value={group} label={evidenceGroupNames[group]} />
          ))}
        </div>
      </Checkbox.Group>
      {sourceTexts.map(({ name, description, placeholder }) => (
        <TextInput
          key={name}
          label={sourceChoiceNames[name]}
          description={description}
          placeholder={placeholder}
          value={options[name] ?? ''}
          onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
        />
      ))}
    </>
  );
}
