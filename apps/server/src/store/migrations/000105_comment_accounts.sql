--! compatible
-- The author of a comment is any text; the account that wrote it is kept beside it.
alter table job_comment add column account_id uuid references user_account (id) on delete set null;
create index job_comment_account on job_comment (account_id);
