import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/Kbd.css';
import '@mantine/spotlight/styles.css';
import { Kbd } from '@mantine/core';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAccount } from '../features/account/use-account.js';
import { pathOfPart } from '../features/workbench/addresses.js';
import { resources, sections } from '../features/workbench/resources.js';
import { useMayOpen } from '../features/workbench/use-may-open.js';
import { recentRuns } from '../features/annotate/recent-runs.js';
import { plural } from '../shared/format.js';
import { SearchIcon } from '../shared/icons.js';
import { place } from './api/place.js';
import { pagesFor } from './pages.js';
import { type Command, commandsFor, type Place } from './palette-model.js';
import styles from './palette.module.css';

const keys: readonly (readonly [string[], string])[] = [
  [['Ctrl', 'K'], 'this list'],
  [['/'], 'search the proteins of a run'],
  [['j'], 'next protein'],
  [['k'], 'protein before'],
  [['↑', '↓', '→', '←'], 'through the tree of terms'],
  [['Enter'], 'evidence of a term'],
];

const [store, palette] = createSpotlight();

/** Finds pages, runs, terms, proteins and words of the glossary by a typed text, and lists the keys of all pages. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [runs] = useState(() =>
    recentRuns().map(({ jobId, name, sequences }) => ({
      label: name === '' ? plural(sequences, 'sequence') : name,
      to: `/progress/${jobId}`,
    })),
  );
  const { data: account } = useAccount();
  const { history } = useRouter();
  useEffect(() => {
    palette.open();
    return palette.close;
  }, []);
  const follow = ({ to, isPlain }: Command) => {
    if (to === null) return;
    if (isPlain) window.location.assign(to);
    else history.push(place.pages + to);
  };
  const mayOpen = useMayOpen();
  const parts = resources.filter(mayOpen).map((one) => ({
    label: `${sections[one.section]}: ${one.title}`,
    to: pathOfPart(one),
  }));
  const pages: readonly Place[] = [
    ...pagesFor(account),
    { label: 'Account', to: '/account' },
    { label: 'API', to: `${place.service}/docs`, isPlain: true },
  ];
  const commands = commandsFor(text, { pages, parts, runs });
  return (
    // Scrolling is not locked, because that would write a style sheet, which the content security policy refuses.
    <Spotlight.Root
      store={store}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={onClose}
      shortcut={null}
      lockScroll={false}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      withinPortal={false}
      attributes={{ content: { 'aria-label': 'Commands' } }}
    >
      <Spotlight.Search
        aria-label="Search pages, runs, terms and words"
        placeholder="A page, a run, a GO id, an accession or a word"
        leftSection={<SearchIcon />}
      />
      <Spotlight.ActionsList>
        {commands.map((command) => (
          <Spotlight.Action
            key={`${command.group} ${command.label} ${command.to}`}
            label={command.label}
            description={command.about ?? command.group}
            closeSpotlightOnTrigger={command.to !== null}
            onClick={() => follow(command)}
          />
        ))}
        {commands.length === 0 && (
          <Spotlight.Empty>Nothing fits. Try a GO id or an accession.</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      <Spotlight.Footer>
        <ul className={styles.keys} aria-label="Keys">
          {keys.map(([pressed, what]) => (
            <li key={what}>
              {pressed.map((key) => (
                <Kbd key={key} size="xs">
                  {key}
                </Kbd>
              ))}{' '}
              {what}
            </li>
          ))}
        </ul>
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}
