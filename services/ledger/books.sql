-- The books: applied again and again without harm, into the schema that search_path names first: `books`, or a shadow of
-- it that is made beside and switched in. Amounts are minor units, debit positive. Owned by shoelog_ledger_owner; the
-- service may add, and change what is marked as changing, but never touch what is written.

-- How far the log has been read. Whoever posts moves it by compare-and-set in the same transaction. `edition` is another
-- in every shadow, so that a cashier who still has the old books in mind is refused.
create table if not exists checkpoint (
    one boolean primary key default true check (one),
    edition uuid not null default gen_random_uuid(),
    position bigint not null default -1,
    command text not null default ''
);
insert into checkpoint default values on conflict do nothing;

-- Changing: `balance` and `version`, the number of postings on the account.
create table if not exists account (
    id bigint generated always as identity primary key,
    path text collate "C" not null,
    currency text not null,
    pattern text not null,
    patron text collate "C" generated always as (
        case when starts_with(path, 'patron/') then split_part(path, '/', 2) end) stored,
    at_table text collate "C" generated always as (
        case when starts_with(path, 'patron/') then nullif(split_part(path, '/', 4), '')
             when starts_with(path, 'house/') then split_part(path, '/', 2) end) stored,
    balance bigint not null default 0,
    version bigint not null default 0,
    unique (path, currency)
) with (fillfactor = 70);
create index if not exists account_of_patron on account (patron) where patron is not null;
create index if not exists account_at_table on account (at_table) where at_table is not null;

-- One entry of the log that moved money.
create table if not exists entry (
    position bigint primary key,
    stream text not null,
    version bigint not null,
    at timestamptz not null,
    what text not null
);

-- `version` counts the postings of the account; an entry has at most one on each.
create table if not exists posting (
    position bigint not null,
    line int not null,
    account bigint not null,
    version bigint not null,
    amount bigint not null check (amount <> 0),
    before bigint not null,
    after bigint not null check (after = before + amount),
    primary key (position, line),
    unique (account, position)
);

-- Changing: what a patron has brought a shoe. Sums of settlement lines, and of commission paid later.
create table if not exists figure (
    at_table text collate "C" not null,
    shoe bigint not null,
    patron text collate "C" not null,
    currency text not null,
    bets bigint not null,
    handle bigint not null,
    win bigint not null,
    commission bigint not null,
    marked bigint not null,
    collected bigint not null,
    waived bigint not null,
    primary key (at_table, shoe, patron, currency)
);

-- Changing: the coups of a shoe.
create table if not exists shoe (
    at_table text collate "C" not null,
    shoe bigint not null,
    currency text not null,
    rounds bigint not null,
    voided bigint not null,
    primary key (at_table, shoe, currency)
);

-- Changing: what the book remembers of a table beside its balances, as JSON.
create table if not exists coup (
    at_table text collate "C" primary key,
    memory bytea not null
);

-- Changing: the last entry read of every stream, to check the next one's link.
create table if not exists stream_tip (
    stream text collate "C" primary key,
    version bigint not null,
    leaf bytea not null check (octet_length(leaf) = 32)
);

create table if not exists api_key (
    hash bytea primary key check (octet_length(hash) = 32),
    role text not null check (role in ('operator', 'auditor', 'dashboard')),
    name text not null check (name ~ '^[a-z0-9-]{1,64}$'),
    created_at timestamptz not null default now(),
    unique (role, name)
);


create or replace function refuse_change() returns trigger
language plpgsql as $$
begin
    raise exception '% of %.% is refused: what is written stays written', tg_op, tg_table_schema, tg_table_name
        using errcode = 'restrict_violation';
end $$;

-- What is posted sums to zero, entry by entry, in one currency; and every posting begins where the account's last one
-- ended. Names are looked up in the trigger's own schema, whatever that is called by now.
create or replace function check_postings() returns trigger
language plpgsql as $$
declare
    wrong bigint;
begin
    execute format($query$
        select min(position) from (
            select p.position
            from fresh p
            left join %1$I.account a on a.id = p.account
            left join %1$I.entry e on e.position = p.position
            left join lateral (
                select earlier.after, earlier.version from %1$I.posting earlier
                where earlier.account = p.account and earlier.position < p.position
                order by earlier.position desc limit 1
            ) last on true
            group by p.position
            having sum(p.amount) <> 0 or count(distinct a.currency) <> 1
                or bool_or(e.position is null or a.id is null or p.before <> coalesce(last.after, 0)
                           or p.version <> coalesce(last.version, 0) + 1)
        ) unbalanced
    $query$, tg_table_schema) into wrong;
    if wrong is not null then
        raise exception 'the postings of entry % do not balance, or do not follow the last ones', wrong
            using errcode = 'check_violation';
    end if;
    return null;
end $$;

-- A balance is what its last posting says.
create or replace function check_balances() returns trigger
language plpgsql as $$
declare
    wrong text;
begin
    execute format($query$
        select min(f.path) from fresh f
        left join lateral (
            select p.after, p.version from %1$I.posting p where p.account = f.id order by p.position desc limit 1
        ) last on true
        where (f.balance, f.version) <> (coalesce(last.after, 0), coalesce(last.version, 0))
    $query$, tg_table_schema) into wrong;
    if wrong is not null then
        raise exception 'the balance of % is not what its postings say', wrong using errcode = 'check_violation';
    end if;
    return null;
end $$;

create or replace function only_forward() returns trigger
language plpgsql as $$
begin
    if new.position < old.position then
        raise exception 'the books stand at % and cannot go back to %', old.position, new.position
            using errcode = 'restrict_violation';
    end if;
    return new;
end $$;

create or replace trigger stays before update or delete or truncate on entry
    for each statement execute function refuse_change();
create or replace trigger stays before update or delete or truncate on posting
    for each statement execute function refuse_change();
create or replace trigger stays before delete or truncate on account
    for each statement execute function refuse_change();
create or replace trigger stays before delete or truncate on checkpoint
    for each statement execute function refuse_change();
create or replace trigger balances after insert on posting
    referencing new table as fresh for each statement execute function check_postings();
create or replace trigger opens after insert on account
    referencing new table as fresh for each statement execute function check_balances();
create or replace trigger balances after update on account
    referencing new table as fresh for each statement execute function check_balances();
create or replace trigger forward before update on checkpoint
    for each row execute function only_forward();

alter table entry enable always trigger stays;
alter table posting enable always trigger stays;
alter table account enable always trigger stays;
alter table checkpoint enable always trigger stays;
alter table posting enable always trigger balances;
alter table account enable always trigger opens;
alter table account enable always trigger balances;
alter table checkpoint enable always trigger forward;

grant select on checkpoint, account, entry, posting, figure, shoe, coup, stream_tip, api_key to shoelog_ledger;
grant insert on entry, posting, account, figure, shoe, coup, stream_tip to shoelog_ledger;
grant update on checkpoint, account, figure, shoe, coup, stream_tip to shoelog_ledger;
