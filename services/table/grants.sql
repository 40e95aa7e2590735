-- Who may do what: the service reads and calls these functions, the ledger reads the feed, nobody else anything.
revoke all on all functions in schema journal from public;

grant usage on schema journal to shoelog_table, shoelog_feed;
grant select on all tables in schema journal to shoelog_table;
grant select on journal.feed to shoelog_feed;
grant execute on function
    journal.append, journal.written, journal.forget_seed, journal.keep_checkpoint, journal.keep_nodes,
    journal.open_volume
to shoelog_table;
