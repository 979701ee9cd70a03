import { TextInput } from '@mantine/core';
import { glossary } from '@kindred/contracts/glossary';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { place } from '../../app/api/place.js';
import { plural } from '../../shared/format.js';
import { SearchIcon } from '../../shared/icons.js';
import { Page } from '../../shared/page.js';
import { documents, pictureOf } from './all-documents.js';
import { type HelpDocument, searchDocuments, sections, targetOf } from './documents.js';
import styles from './help.module.css';
import { parseMarkdown } from './markdown.js';
import { MarkdownView } from './markdown-view.js';

const indexRoute = getRouteApi('/help');
const documentRoute = getRouteApi('/help/$section/$name');

/** Lists all documents with a search by their words, the glossary, and a link to the reference of the API. */
export function HelpPage() {
  const { q } = indexRoute.useSearch();
  const navigate = indexRoute.useNavigate();
  const asked = useDeferredValue(q ?? '');
  const found = useMemo(() => searchDocuments(documents, asked), [asked]);
  const words = Object.entries(glossary).filter(([word, meaning]) =>
    `${word} ${meaning}`.toLowerCase().includes(asked.toLowerCase()),
  );
  return (
    <Page
      title="Help"
      lead={
        <>
          How to use the service, how it works, and what its words mean. For programs there is the{' '}
          <a href={`${place.service}/docs`}>reference of the API</a>. You can read{' '}
          <Link to="/operation/{-$part}" params={{ part: 'plugins' }}>
            which parts are installed
          </Link>{' '}
          and{' '}
          <Link to="/operation/{-$part}" params={{ part: 'feedback' }}>
            say whether the service helps you
          </Link>
          .
        </>
      }
    >
      <TextInput
        type="search"
        aria-label="Search the help"
        placeholder="Search the help"
        leftSection={<SearchIcon />}
        maw={460}
        value={q ?? ''}
        onChange={(event) =>
          void navigate({
            search: { q: event.currentTarget.value || undefined },
            replace: true,
            resetScroll: false,
          })
        }
      />
      {asked !== '' && (
        <p role="status">
          {plural(found.length, 'page')} and {plural(words.length, 'word')} of the glossary
        </p>
      )}
      <div className={styles.sections}>
        {Object.entries(sections).map(([section, title]) => (
          <Contents key={section} title={title} rows={found.filter((one) => one.section === section)} />
        ))}
      </div>
      {words.length > 0 && (
        <section aria-labelledby="glossary" className={styles.text}>
          <h2 id="glossary">Glossary</h2>
          <dl className={styles.glossary}>
            {words.map(([word, meaning]) => (
              <div key={word}>
                <dt>{word}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </Page>
  );
}

function Contents({ title, rows }: { title: string; rows: readonly HelpDocument[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul className={styles.contents}>
        {rows.map(({ section, name, title: page }) => (
          <li key={name}>
            <Link to="/help/$section/$name" params={{ section, name }}>
              {page}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function HelpDocumentPage() {
  const { section, name } = documentRoute.useParams();
  const document = documents.find((one) => one.section === section && one.name === name);
  const blocks = useMemo(() => parseMarkdown(document?.text ?? ''), [document]);
  const back = <Link to="/help">All help</Link>;
  if (document === undefined)
    return (
      <Page title="This page of the help is not here" lead={back}>
        <p>Another version of the service may have it.</p>
      </Page>
    );
  return (
    <Page title={document.title} lead={back}>
      <article className={styles.text}>
        <MarkdownView
          blocks={blocks.filter(({ kind }, at) => at > 0 || kind !== 'heading')}
          targetOf={(to) => targetOf(to, document, documents)}
          pictureOf={pictureOf}
        />
      </article>
    </Page>
  );
}
