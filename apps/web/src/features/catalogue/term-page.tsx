import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { getReference } from '../../app/api/annotate.js';
import { hasStatus } from '../../app/api/problem.js';
import { getTerm, listSnapshots } from '../../app/api/reference-data.js';
import { aspectNames } from '../../shared/aspect.js';
import { quickGoAddress } from '../../shared/links.js';
import { LinkButton } from '../../shared/link-button.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { TermLink } from '../../shared/term-link.js';
import styles from './catalogue.module.css';

const route = getRouteApi('/go/$goId');

/** Fetches the term from the release that runs use now; without a reference from the newest that is loaded. */
async function termOfToday(goId: string) {
  const chosen = await getReference().catch((error: unknown) => {
    if (hasStatus(error, 409)) return null;
    throw error;
  });
  const id = chosen?.ontology_snapshot_id ?? (await listSnapshots()).at(0)?.id;
  return id === undefined ? null : getTerm(id, goId);
}

/** Shows a GO term: its meaning, and the terms above and below it. */
export function TermPage() {
  const { goId } = route.useParams();
  const term = useQuery({ queryKey: ['go-term', goId], queryFn: () => termOfToday(goId) });
  if (term.data === null || hasStatus(term.error, 404) || hasStatus(term.error, 422)) {
    return (
      <Page
        title="Term not found"
        lead={`The Gene Ontology release of this service has no term ${goId}.`}
        actions={<LinkButton to="/">Annotate proteins</LinkButton>}
      />
    );
  }
  return (
    <Page
      title={term.data?.name ?? goId}
      lead={term.data === undefined ? undefined : `${aspectNames[term.data.aspect]} · ${term.data.go_id}`}
      actions={
        <a href={quickGoAddress(goId)} target="_blank" rel="noreferrer">
          QuickGO
        </a>
      }
    >
      <Loaded query={term}>
        {(found) =>
          found !== null && (
            <>
              {found.is_obsolete && <p>This term is obsolete.</p>}
              {found.replaced_by.length > 0 && (
                <p>
                  Replaced by{' '}
                  {found.replaced_by.map((id) => (
                    <TermLink key={id} goId={id} name={id} />
                  ))}
                </p>
              )}
              <Panel title="Definition">
                <p>{found.definition ?? 'No definition.'}</p>
              </Panel>
              <div className={styles.columns}>
                <Related title="Above it" terms={found.parents} none="It is the root of its aspect." />
                <Related title="Below it" terms={found.children} none="It has no more specific term." />
              </div>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const relationWords: Readonly<Record<string, string>> = {
  is_a: '',
  part_of: 'part of',
  regulates: 'regulates',
  positively_regulates: 'positively regulates',
  negatively_regulates: 'negatively regulates',
};

interface RelatedProps {
  title: string;
  terms: readonly { go_id: string; name: string; relation_type: string }[];
  none: string;
}

function Related({ title, terms, none }: RelatedProps) {
  return (
    <Panel title={title}>
      {terms.length === 0 ? (
        <p>{none}</p>
      ) : (
        <ul className={styles.terms}>
          {terms.map((term) => (
            <li key={`${term.relation_type} ${term.go_id}`}>
              <TermLink goId={term.go_id} name={term.name} />{' '}
              <span className={styles.muted}>
                {relationWords[term.relation_type] ?? term.relation_type.replaceAll('_', ' ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
