/**
 * The lists of names that others share with the default method, apart from its code, which takes longer to load than a call of the command
 * line that needs the names alone.
 */
export * from './certainty.js';
export {
  evidenceChoices,
  type EvidenceGroup,
  evidenceGroupOf,
  evidenceGroups,
  experimentalBit,
  unclassifiedBit,
} from './evidence-groups.js';
export * from './probability-meaning.js';
