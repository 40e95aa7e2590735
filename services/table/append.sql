-- What a line must begin with, as a pattern for LIKE: `_` stands for one byte that is not judged here.
create or replace function journal.opening(stream text, version bigint, actor text, key text, prev text) returns bytea
language sql immutable as $$
    select convert_to(
        '{"id":"' || repeat('_', 32) || '","stream":"' || stream || '","version":' || version
        || ',"at":"' || repeat('_', 27) || '","actor":"' || actor || '","command":"' || replace(key, '_', '\_')
        || '","schema":_,"prev":"' || prev || '","event":{%', 'UTF8')
$$;

-- Append a batch of commands: all of it, or nothing. Returns the place of its first entry; or the numbers (from 1) of
-- commands whose key is used, or of commands that do not follow the last entry of their stream (outrun).
-- Entries carry the number of their command. Some may be by the system, within a command that somebody else gave. A shoe is told by the stream and version of its `shoe-committed`; a table's
-- chapter that begins with no shoe told is an opening of the table.
create or replace function journal.append(
    of_command int[], streams text[], versions bigint[], chapters bigint[], lines bytea[],
    actors text[], keys text[], requests bytea[], answers bytea[],
    shoe_streams text[], shoe_versions bigint[], shoes bigint[], seeds bytea[],
    out first_position bigint, out used int[], out outrun int[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off  -- a plan made while the tables are empty would read them whole for ever
set plan_cache_mode = force_generic_plan as $$
declare
    leaves bytea[];
    wrong int[];
    begun_shoes int;
begin
    select size into first_position from journal.head for update;

    -- From here on every statement sees what the last holder of the lock wrote.
    -- Each key is looked up by itself (`limit` sees to that): with a plain `exists`, beside the `or`, every append would
    -- read all keys ever used.
    select array_agg(command) into used
    from (
        select command, is_used, row_number() over (partition by actor, key order by command) as nth
        from unnest(actors, keys) with ordinality c (actor, key, command)
        left join lateral (
            select true as is_used from journal.command k where k.actor = c.actor and k.key = c.key limit 1
        ) k on true
    ) c
    where nth > 1 or is_used;
    if used is not null then
        return;
    end if;

    with given as (
        select *, sha256('\x00'::bytea || line) as leaf
        from unnest(of_command, streams, versions, chapters, lines)
            with ordinality e (command, stream, version, chapter, line, place)
        join unnest(actors, keys) with ordinality c (actor, key, command) using (command)
    ), linked as (
        select *, lag(version) over same as version_before, lag(leaf) over same as leaf_before,
            lag(chapter) over same as chapter_before
        from given window same as (partition by stream order by place)
    ), placed as (
        select l.*, coalesce(version_before, e.version, 0) + 1 as next,
            coalesce(encode(coalesce(leaf_before, e.leaf), 'hex'), repeat('0', 64)) as prev,
            coalesce(chapter_before, e.chapter) as chapter_now
        from linked l left join lateral (
            select e.version, e.leaf, e.chapter from journal.entry e
            where version_before is null and e.stream = l.stream order by e.version desc limit 1
        ) e on true
    ), judged as materialized (
        select place, command, leaf, case
            when version = next and (line like journal.opening(stream, version, actor, key, prev)
                or line like journal.opening(stream, version, 'system:table', key, prev)) then
                case when chapter in (version, chapter_now) and octet_length(line) <= 65535 then 'fits' else 'wrong' end
            when line like journal.opening(stream, version, actor, key, repeat('_', 64))
                or line like journal.opening(stream, version, 'system:table', key, repeat('_', 64)) then 'outrun'
            else 'wrong' end as verdict
        from placed
    )
    select array_agg(leaf order by place), array_agg(distinct command) filter (where verdict = 'outrun'),
        array_agg(distinct command) filter (where verdict = 'wrong')
    into leaves, outrun, wrong from judged;
    if wrong is not null then
        raise exception 'commands % bring entries that do not say what they are filed under', wrong
            using errcode = 'check_violation';
    end if;
    if outrun is not null then
        return;
    end if;

    insert into journal.entry (position, stream, version, chapter, line, leaf)
    select append.first_position + place - 1, stream, version, chapter, line, leaf
    from unnest(streams, versions, chapters, lines, leaves)
        with ordinality e (stream, version, chapter, line, leaf, place);

    insert into journal.command (actor, key, request, answer, first_position, entries)
    select actor, key, request, answer, append.first_position + first_place - 1, entries
    from unnest(actors, keys, requests, answers) with ordinality c (actor, key, request, answer, command)
    join (
        select command, min(place) as first_place, count(*) as entries
        from unnest(of_command) with ordinality e (command, place) group by command
    ) e using (command);

    with begun as (
        insert into journal.chapter (stream, version, shoe, sealed)
        select stream, version, shoe, seed
        from unnest(streams, versions, chapters) e (stream, version, chapter)
        left join unnest(shoe_streams, shoe_versions, shoes, seeds) s (stream, version, shoe, seed)
            using (stream, version)
        where version = chapter and stream like 'table/%' returning shoe
    )
    select count(shoe) into begun_shoes from begun;
    if begun_shoes <> cardinality(shoes) then
        raise exception 'a shoe is told of that no entry commits to' using errcode = 'check_violation';
    end if;

    update journal.head set size = size + cardinality(lines);
    perform pg_notify('journal', '');
end $$;
