import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import table from '../../shared/table.module.css';
import type { HelpTarget } from './documents.js';
import styles from './help.module.css';
import { type Block, type Inline, wordsOf } from './markdown.js';

interface Props {
  blocks: readonly Block[];
  targetOf: (to: string) => HelpTarget | undefined;
  pictureOf: (source: string) => string | undefined;
}
type Places = Pick<Props, 'targetOf' | 'pictureOf'>;

/** Shows the blocks of a document. They never change, so their places are their keys. */
export function MarkdownView({ blocks, ...places }: Props): ReactNode {
  return blocks.map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
    <BlockView key={at} block={block} {...places} />
  ));
}

function BlockView({ block, ...places }: Places & { block: Block }) {
  const inline = (content: readonly Inline[]) => <Words content={content} {...places} />;
  switch (block.kind) {
    case 'heading': {
      // The document's first heading is the title of the page, so the others begin at level 2.
      const Heading = block.level <= 2 ? 'h2' : block.level === 3 ? 'h3' : 'h4';
      return <Heading id={block.id}>{inline(block.content)}</Heading>;
    }
    case 'paragraph':
      return <p>{inline(block.content)}</p>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard, too
        <pre className={styles.code} tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List className={styles.list}>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
            <li key={at}>
              <MarkdownView blocks={item} {...places} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return (
        // Tables are not landmarks, because those of one document have the same columns and a screen reader could not tell them apart.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
        <div
          role="group"
          className={table.scroll}
          tabIndex={0}
          aria-label={block.head.map(wordsOf).join(', ')}
        >
          <table className={table.table}>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
                  <th key={at} scope="col">
                    {inline(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
                <tr key={at}>
                  {row.map((cell, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
                    <td key={column} data-label={wordsOf(block.head[column] ?? [])}>
                      <span>{inline(cell)}</span>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function Words({ content, ...places }: Places & { content: readonly Inline[] }) {
  return content.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
    <Fragment key={at}>
      <Part part={part} {...places} />
    </Fragment>
  ));
}

function Part({ part, ...places }: Places & { part: Inline }): ReactNode {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return <code>{part.text}</code>;
  if (part.kind === 'image')
    return <img src={places.pictureOf(part.source)} alt={part.words} loading="lazy" />;
  const words = <Words content={part.content} {...places} />;
  if (part.kind === 'strong') return <strong>{words}</strong>;
  if (part.kind === 'emphasis') return <em>{words}</em>;
  const target = places.targetOf(part.to);
  if (target === undefined) return words;
  if (target.kind === 'address')
    return (
      <a href={target.address} target="_blank" rel="noreferrer">
        {words}
      </a>
    );
  return (
    <Link
      to="/help/$section/$name"
      params={{ section: target.section, name: target.name }}
      hash={target.hash}
    >
      {words}
    </Link>
  );
}
