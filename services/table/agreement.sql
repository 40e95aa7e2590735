-- The last checkpoint of each log that its witnesses agreed on. It is believed for its signatures, not for standing here.
create table if not exists journal.agreement (
    origin text primary key,
    size bigint not null,
    note text not null check (octet_length(note) <= 65535)
);

create or replace function journal.keep_agreement(origin text, size bigint, note text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into journal.agreement (origin, size, note)
    values (keep_agreement.origin, keep_agreement.size, keep_agreement.note)
    on conflict on constraint agreement_pkey do update set size = excluded.size, note = excluded.note
    where agreement.size <= excluded.size;
$$;

revoke all on function journal.keep_agreement from public;
grant execute on function journal.keep_agreement to shoelog_table;
grant select on journal.agreement to shoelog_table;
