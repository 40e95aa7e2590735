-- The journal: what it keeps, and what it refuses. Applied again and again without harm; owned by shoelog_table_owner.
-- The service's role owns nothing: it may read, and call the functions that grants.sql names.

create schema if not exists journal;

-- One row: the size of the log, which is the next place in it. Locking it puts appends in line, so that places are
-- gapless and become visible in order.
create table if not exists journal.head (
    one boolean primary key default true check (one),
    size bigint not null
);
insert into journal.head (size) values (0) on conflict do nothing;

-- `chapter` is the first version of the chapter that the entry belongs to.
create table if not exists journal.entry (
    position bigint primary key,
    version bigint not null,
    chapter bigint not null,
    stream text collate "C" not null,
    leaf bytea not null,
    line bytea not null check (octet_length(line) <= 65535),
    unique (stream, version)
);
alter table journal.entry alter column line set storage external;  -- leaves and salts do not compress
create index if not exists entry_leaf on journal.entry using hash (leaf);  -- a receipt names no more than the leaf

-- What was asked, and what was answered: a repeat gets the same. `request` is a hash.
create table if not exists journal.command (
    actor text collate "C" not null check (octet_length(actor) <= 97),
    key text collate "C" not null check (octet_length(key) between 1 and 64),
    request bytea not null,
    answer bytea not null,
    first_position bigint not null,
    entries int not null,
    primary key (actor, key)
);

-- Where the chapters of the tables' streams begin: at an opening of the table (no shoe), or at a shoe, kept with its seed,
-- encrypted, until that is forgotten (a scanned shoe has none).
create table if not exists journal.chapter (
    stream text collate "C" not null,
    version bigint not null,
    shoe bigint,
    sealed bytea check (shoe is not null or sealed is null),
    primary key (stream, version),
    unique (stream, shoe)
);
create index if not exists chapter_opens on journal.chapter (stream, version) where shoe is null;
create index if not exists chapter_first on journal.chapter (stream) where version = 1;

-- A volume is a log that strangers know: an origin with its key, and a tree that counts from `base`. The first begins at
-- 0; when entries have been lost its origin is finished, and the next volume begins where the journal stands then. The
-- journal's own places go on through all of them.
create table if not exists journal.volume (
    number int primary key,
    base bigint not null,
    vkey text not null unique
);

-- `size` is the journal's, so that the checkpoints of all volumes stand in one order.
create table if not exists journal.checkpoint (
    size bigint primary key,
    note text not null,
    kept_at timestamptz not null default now()
);

-- Roots of complete subtrees at levels 8, 16, 24 …: derived from the leaves, and made again when missing.
do $$ begin
    if exists (select from pg_class where oid = to_regclass('journal.node'))
        and not exists (select from pg_attribute where attrelid = to_regclass('journal.node') and attname = 'base') then
        drop table journal.node;  -- the shape before there were volumes
    end if;
end $$;
create table if not exists journal.node (
    base bigint not null,
    level int not null check (level > 0 and level % 8 = 0),
    index bigint not null,
    hash bytea not null check (octet_length(hash) = 32),
    primary key (base, level, index)
);

create table if not exists journal.api_key (
    hash bytea primary key check (octet_length(hash) = 32),
    role text not null check (role in ('operator', 'auditor', 'dashboard')),
    name text not null check (name ~ '^[a-z0-9-]{1,64}$'),
    created_at timestamptz not null default now(),
    unique (role, name)
);

create or replace view journal.feed as
select position, stream, version, line, leaf from journal.entry;


create or replace function journal.refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception '% of journal.% is refused: what is written stays written', tg_op, tg_table_name
        using errcode = 'restrict_violation';
end $$;

create or replace function journal.only_forget_the_seed() returns trigger
language plpgsql as $$
begin
    if (new.stream, new.version, new.shoe) is distinct from (old.stream, old.version, old.shoe)
        or new.sealed is not null then
        raise exception 'a chapter is never changed: the seed of its shoe can be forgotten, that is all'
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;

create or replace function journal.only_grow() returns trigger
language plpgsql as $$
begin
    if new.size < old.size then
        raise exception 'the log has % entries and cannot have % again', old.size, new.size
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;

create or replace trigger stays before update or delete or truncate on journal.entry
    for each statement execute function journal.refuse_change();
create or replace trigger stays before update or delete or truncate on journal.command
    for each statement execute function journal.refuse_change();
create or replace trigger stays before update or delete or truncate on journal.checkpoint
    for each statement execute function journal.refuse_change();
create or replace trigger stays before update or delete or truncate on journal.volume
    for each statement execute function journal.refuse_change();
create or replace trigger stays before delete or truncate on journal.chapter
    for each statement execute function journal.refuse_change();
create or replace trigger stays before delete or truncate on journal.head
    for each statement execute function journal.refuse_change();
create or replace trigger forgets before update on journal.chapter
    for each row execute function journal.only_forget_the_seed();
create or replace trigger grows before update on journal.head
    for each row execute function journal.only_grow();

alter table journal.entry enable always trigger stays;
alter table journal.command enable always trigger stays;
alter table journal.checkpoint enable always trigger stays;
alter table journal.volume enable always trigger stays;
alter table journal.chapter enable always trigger stays;
alter table journal.head enable always trigger stays;
alter table journal.chapter enable always trigger forgets;
alter table journal.head enable always trigger grows;


create or replace function journal.forget_seed(stream text, shoe bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update journal.chapter c set sealed = null
    where c.stream = forget_seed.stream and c.shoe = forget_seed.shoe and sealed is not null;
$$;

-- Checkpoints only grow. The same tree may be signed again; another tree of the same size may not.
create or replace function journal.keep_checkpoint(size bigint, note text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    last journal.checkpoint;
begin
    lock table journal.checkpoint in share row exclusive mode;
    select * into last from journal.checkpoint c order by c.size desc limit 1;
    if size < last.size or size > (select head.size from journal.head)
        or size = last.size and split_part(note, e'\n\n', 1) <> split_part(last.note, e'\n\n', 1) then
        raise exception 'a checkpoint of % does not follow one of %', size, last.size
            using errcode = 'restrict_violation';
    end if;
    insert into journal.checkpoint (size, note) values (keep_checkpoint.size, keep_checkpoint.note) on conflict do nothing;
end $$;

drop function if exists journal.keep_nodes(int[], bigint[], bytea[]);  -- the shape before there were volumes
create or replace function journal.keep_nodes(base bigint, levels int[], indexes bigint[], hashes bytea[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into journal.node (base, level, index, hash)
    select keep_nodes.base, n.level, n.index, n.hash from unnest(levels, indexes, hashes) n (level, index, hash)
    on conflict on constraint node_pkey do update set hash = excluded.hash where node.hash <> excluded.hash;
$$;

-- The volume that is being filled. The first one takes the name of whoever opens it.
create or replace function journal.open_volume(vkey text) returns journal.volume
language sql security definer set search_path = pg_catalog, pg_temp as $$
    insert into journal.volume (number, base, vkey)
    select 1, 0, open_volume.vkey where not exists (select from journal.volume) on conflict do nothing;
    select v from journal.volume v order by v.number desc limit 1;
$$;

-- Which of these commands are written, seen from behind the lock: no append that began earlier is still on its way.
create or replace function journal.written(actors text[], keys text[])
returns table (actor text, key text, request bytea, answer bytea, first_position bigint, entries int, first_leaf bytea)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform from journal.head for update;
    return query
        select c.actor, c.key, c.request, c.answer, c.first_position, c.entries, e.leaf
        from unnest(actors, keys) asked (actor, key)
        join journal.command c on c.actor = asked.actor and c.key = asked.key
        join journal.entry e on e.position = c.first_position;
end $$;
