// Makes docs/reference/glossary.md from packages/contracts/src/glossary.ts.
import { aspects, cafaAspectOf, evidenceGroups, namespaceOf, rootOf } from '@kindred/contracts';
import { glossary } from '@kindred/contracts/glossary';

export function glossaryReference() {
  const terms = Object.entries(glossary)
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { sensitivity: 'base' }))
    .map(([term, meaning]) => `**${term}.** ${meaning}`);
  const aspectRows = aspects.map(
    (aspect) =>
      `| ${aspect} | ${cafaAspectOf[aspect]} | ${namespaceOf[aspect].replace('_', ' ')} | ${rootOf[aspect]} |`,
  );
  const groupRows = Object.entries(evidenceGroups).map(
    ([group, codes]) => `| ${group.replace('_', '-')} | ${codes.join(', ')} |`,
  );
  return `# Glossary

Generated from \`packages/contracts/src/glossary.ts\`; do not edit.

${terms.join('\n\n')}

## Aspects

| GAF | CAFA | namespace | root |
|---|---|---|---|
${aspectRows.join('\n')}

## Evidence codes

| group | codes |
|---|---|
${groupRows.join('\n')}
`;
}
