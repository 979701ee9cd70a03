"""Reads the Gene Ontology as training needs it: aspects, merged ids and closures over is_a and part_of."""

import gzip

ASPECTS = 'PFC'
ROOTS = frozenset({'GO:0008150', 'GO:0003674', 'GO:0005575'})
_ASPECT_OF_NAMESPACE = {'biological_process': 'P', 'molecular_function': 'F', 'cellular_component': 'C'}


class Ontology:
    """The terms that are not obsolete.

    `aspect` gives 'P', 'F' or 'C' for a term. `current` gives the term that replaced a merged id.
    """

    def __init__(self, path):
        self.aspect, self.current = {}, {}
        self._parents, self._closures = {}, {}
        for stanza in _term_stanzas(path):
            if 'true' in stanza.get('is_obsolete', ()):
                continue
            term = stanza['id'][0]
            self.aspect[term] = _ASPECT_OF_NAMESPACE[stanza['namespace'][0]]
            self.current.update((merged, term) for merged in stanza.get('alt_id', ()))
            part_of = [value.split()[1] for value in stanza.get('relationship', ()) if value.startswith('part_of ')]
            self._parents[term] = [value.split()[0] for value in stanza.get('is_a', ())] + part_of

    def resolve(self, term):
        """Returns the live term of an id, or None for an obsolete or unknown one."""
        term = self.current.get(term, term)
        return term if term in self.aspect else None

    def closure(self, term):
        """Returns the term and its ancestors over is_a and part_of, across aspects, without the three roots."""
        if term not in self._closures:
            found = {term} - ROOTS
            for parent in self._parents[term]:
                if parent in self.aspect:
                    found |= self.closure(parent)
            self._closures[term] = frozenset(found)
        return self._closures[term]


def _term_stanzas(path):
    """Yields each [Term] stanza as tags with their values, in which a comment after ' ! ' is kept."""
    stanza = None
    with gzip.open(path, 'rt') as lines:
        for line in lines:
            line = line.rstrip('\n')
            if line.startswith('['):
                if stanza:
                    yield stanza
                stanza = {} if line == '[Term]' else None
            elif stanza is not None and ': ' in line:
                tag, value = line.split(': ', 1)
                stanza.setdefault(tag, []).append(value)
    if stanza:
        yield stanza
