--! compatible
-- Terms that the ontology suggests to consider in place of an obsolete one, beside those that replace it.
alter table go_term add column consider text[] not null default '{}';
