import { isNegated } from '@kindred/contracts/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { hasStatus } from '../../app/api/problem.js';
import {
  getProtein,
  getProteinAnnotations,
  type Protein,
  type ProteinAnnotation,
} from '../../app/api/reference-data.js';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { plural } from '../../shared/format.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { ProteinLinks } from '../../shared/protein-links.js';
import { PaperLink } from '../../shared/paper-link.js';
import { referenceName } from '../../shared/reference-name.js';
import table from '../../shared/table.module.css';
import { TermLink } from '../../shared/term-link.js';
import styles from './catalogue.module.css';

const route = getRouteApi('/proteins/$accession');

/** Shows a protein of the catalogue: its names, what is known of it, its sequence. */
export function ProteinPage() {
  const { accession } = route.useParams();
  const protein = useQuery({ queryKey: ['protein', accession], queryFn: () => getProtein(accession) });
  const annotations = useQuery({
    queryKey: ['protein-annotations', accession],
    queryFn: () => getProteinAnnotations(accession),
  });
  if (hasStatus(protein.error, 404)) {
    return (
      <Page
        title="Protein not found"
        lead={`This service has no protein ${accession}.`}
        actions={<LinkButton to="/">Annotate proteins</LinkButton>}
      />
    );
  }
  const known = protein.data;
  return (
    <Page
      title={known?.protein_name ?? known?.entry_name ?? accession}
      lead={[accession, known?.gene_name, known?.organism].filter(Boolean).join(' · ')}
      actions={
        <p>
          <ProteinLinks accession={accession} />
        </p>
      }
    >
      <Loaded query={annotations}>
        {(rows) => (rows.length === 0 ? <p>No annotation of it is loaded.</p> : <Annotations rows={rows} />)}
      </Loaded>
      <Loaded query={protein}>
        {(found) => (
          <>
            {found.metadata?.function_cc != null && (
              <Panel title="Function, as UniProt describes it">
                <p>{found.metadata.function_cc}</p>
              </Panel>
            )}
            <Sequences protein={found} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Shows the sequence. If references have different ones, each is shown with the references that have it. */
function Sequences({ protein }: { protein: Protein }) {
  const { reference_sequences: given, sequence, length, sequence_md5 } = protein;
  const isOne = given.every((one) => one.sequence_md5 === sequence_md5);
  const isListed = given.some((one) => one.sequence_md5 === sequence_md5);
  const catalogue = { sequence, length, sequence_md5, references: [] };
  const shown = isOne ? [catalogue] : isListed ? given : [catalogue, ...given];
  return (
    <>
      {!isOne && (
        <p>
          References have different sequences by this name. Evidence and alignments of a run use that of its
          reference.
        </p>
      )}
      {shown.map((one) => (
        <Panel
          key={one.sequence_md5}
          title={[
            `Sequence${isOne ? '' : ` of ${one.references.map(({ name, version }) => `${name} ${version}`).join(', ') || 'no reference'}`}`,
            plural(one.length, 'residue'),
          ].join(', ')}
        >
          <p className={styles.sequence}>{one.sequence.replace(/(.{10})/g, '$1 ')}</p>
        </Panel>
      ))}
    </>
  );
}

function Annotations({ rows }: { rows: readonly ProteinAnnotation[] }) {
  return aspectOrder.map((aspect) => {
    const ofAspect = rows.filter((row) => row.aspect === aspect);
    if (ofAspect.length === 0) return null;
    return (
      <section key={aspect} className={styles.section}>
        <h2>{aspectNames[aspect]}</h2>
        <div className={table.scroll}>
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">Term</th>
                <th scope="col">Evidence</th>
                <th scope="col">Reference</th>
                <th scope="col">Release</th>
              </tr>
            </thead>
            <tbody>
              {ofAspect.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and the list never changes
                <tr key={at}>
                  <td data-label="Term">
                    {isNegated(row.qualifier) && <strong>not </strong>}
                    <TermLink goId={row.go_id} name={row.name} />
                  </td>
                  <td data-label="Evidence">
                    <EvidenceCode code={row.evidence_code} />
                  </td>
                  <td data-label="Reference">
                    <PaperLink reference={row.db_reference} />
                  </td>
                  <td data-label="Release" className={table.muted}>
                    {referenceName({
                      source: row.annotation_set_source,
                      source_version: row.annotation_set_version,
                      newest_annotation_date: null,
                    })}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    );
  });
}
