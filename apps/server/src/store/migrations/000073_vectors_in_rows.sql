--! compatible
-- Vectors of up to 1,280 numbers stay in their rows, three or more a page: outside, each takes two rows and a look into another index.
-- Rows that are there stay where they are.
alter table sequence_embedding set (toast_tuple_target = 2704);
