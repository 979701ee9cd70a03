import { rightMeans, standingMeanings, standingsOfTerms } from '@kindred/kernels/combined/vocabulary';

/** The terms of the field and of the service, each explained in a sentence: docs/reference/glossary.md is made from them. */
export const glossary = {
  Answer:
    'What the service says of one protein: its known terms, the predicted ones with their certainty and sources, or the reason why there is none.',
  'Annotation set':
    'GO annotations of one release of one source, loaded against one ontology snapshot; it never changes after the load.',
  Aspect:
    'One of the three branches of the Gene Ontology: biological process (P, BPO), molecular function (F, MFO) and cellular component (C, CCO), in this order; among the predicted terms of an answer the aspect with the best first term leads.',
  Bank: 'The reference of a prediction in memory: vectors, terms, sequences and counts of its proteins, made once for each content and shared by the threads.',
  Batch:
    'A part of the work of a job that one worker computes at once and stores once, however often it is delivered.',
  Calibrated: 'With a probability that was measured: of the calls that are given it, that share was right.',
  Category:
    'How much was known of a protein before: NK, LK or PK. Figures are given per category and aspect, because the three are not equally hard.',
  Certainty: `How sure a term of an answer is, in a word. ${standingsOfTerms.map((word) => `${word}: ${standingMeanings[word]}`).join('; ')}; ${rightMeans}.`,
  Coverage: 'Share of the proteins with ground truth for which a method predicts anything.',
  'Embedding configuration':
    'A model, its layers and its pooling: everything that the vector of a sequence depends on. It never changes, so that vectors of one configuration can be compared.',
  'Evaluation set':
    'Ground truth of a temporal holdout: what proteins gained between an old and a new annotation set.',
  'Evidence code':
    'Three letters that say what an annotation rests on, such as IDA (direct assay) or IEA (electronic, not reviewed).',
  'Evidence group':
    'Evidence codes of one kind: experimental, high-throughput, curator, computational, author, electronic, no data. Experimental, high-throughput and curator codes count as experimental in evaluations.',
  Fmax: 'The best harmonic mean of precision and recall over all score thresholds, averaged over proteins; 0 to 1, higher is better.',
  'GO term':
    'A class of the Gene Ontology with an id such as GO:0005515, a name, an aspect and a definition.',
  'Ground truth':
    'The terms that a prediction is compared with: those that a protein gained, with all their ancestors.',
  'Information accretion':
    'How much more one learns from a term when its parents are known, in bits: minus the binary logarithm of the share of the proteins with all parents that also have the term.',
  'Information content':
    'How rare a term is, in bits: minus the binary logarithm of the share of the proteins with an annotation in the aspect that have the term or one below it. 0 for the root of an aspect, 3 where one in 8 has it.',
  Job: 'A piece of work that a worker does in its own time, with a state, events and an end that says why.',
  Lease:
    'The right of one worker to a job for a limited time; it is renewed while the worker lives, and another worker takes the job when it ends.',
  LK: 'Limited knowledge: a protein had experimental annotations, but none in the aspect in which it gained some.',
  Neighbour: 'A protein whose embedding is near that of a query, by cosine or squared Euclidean distance.',
  NK: 'No knowledge: a protein had no experimental annotation in any aspect and gained some.',
  'Ontology snapshot': 'One release of the Gene Ontology, with all its terms and relations.',
  PK: 'Partial knowledge: a protein had experimental annotations in the aspect in which it gained more.',
  'Precision and recall':
    'Precision is the share of the predicted terms that are right, recall the share of the right terms that are predicted; both averaged over proteins at one score threshold.',
  'Prediction set': 'All predictions of one run of one method, with the parameters that made them.',
  Propagation: 'The true-path rule: a protein that has a term has all its ancestors (is_a, part_of) too.',
  'Query set': 'Sequences that a user uploaded.',
  'Re-ranker': 'A model of boosted trees that gives predictions a new score from their features.',
  Reference:
    'Proteins with their annotations, sequences and vectors, of one ontology, that queries are compared with; its name says which, as in ecoli@2020.',
  Retry:
    'Doing again what failed for a reason that may pass, after a pause that grows; each kind of work has a limit.',
  'Scoring configuration':
    'A recipe that combines signals of a prediction, such as distance and identity, into one score.',
  Smin: 'The smallest semantic distance between prediction and ground truth over all thresholds: remaining uncertainty and misinformation, in bits; lower is better.',
  Source:
    'The protein or entry that a term comes from, by its kind and id: an annotated similar protein, an InterPro entry, or the protein itself.',
  Supporters: 'Similar proteins that have the predicted term, of all that were found.',
  'Temporal holdout':
    'A test that predicts from an old release what a newer release has: the protein gained it in the meantime, so that no method could have read it.',
  Transfer: 'Giving a query protein the GO terms of its sources, scored by their nearness.',
  Visibility:
    'Who finds an upload, and what was made of it, in lists. link: its owner, operators and administrators; anyone who has the id can still read it. listed: everyone.',
} as const satisfies Record<string, string>;
