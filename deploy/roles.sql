-- Who may do what in PostgreSQL, 15 or newer. Run by a superuser, once the databases exist; running it again changes
-- nothing. No passwords are here: whoever deploys sets them (ALTER ROLE shoelog_table PASSWORD '…').
--
--   createdb shoelog_table; createdb shoelog_ledger; psql --file roles.sql
--
--   shoelog_table_owner      owns what the table service's migrations make; nobody can log in as it
--   shoelog_table_migrator   logs in, owns nothing, may SET ROLE shoelog_table_owner: `shoelog table migrate`
--   shoelog_table            the table service: reads the journal and calls its few functions
--   shoelog_feed             reads the log's `feed` view and nothing else: the ledger's eye on the log
--   shoelog_ledger_owner     owns the books' first schema; nobody can log in as it
--   shoelog_ledger_migrator  logs in, owns nothing, may SET ROLE shoelog_ledger_owner: `shoelog ledger migrate`
--   shoelog_ledger           the ledger service: keeps the books in its own database
--
-- Schemas, tables and functions are granted by the migrations that make them (services/table/journal.sql,
-- services/ledger/books.sql), to exactly these names.

DO $roles$
DECLARE
    wanted record;
BEGIN
    FOR wanted IN
        SELECT * FROM (VALUES
            ('shoelog_table_owner',     'NOLOGIN', 'owns the journal'),
            ('shoelog_table_migrator',  'LOGIN',   'migrates the journal, by SET ROLE shoelog_table_owner'),
            ('shoelog_table',           'LOGIN',   'the table service'),
            ('shoelog_feed',            'LOGIN',   'reads the feed view of the journal'),
            ('shoelog_ledger_owner',    'NOLOGIN', 'owns the books'),
            ('shoelog_ledger_migrator', 'LOGIN',   'migrates the books, by SET ROLE shoelog_ledger_owner'),
            ('shoelog_ledger',          'LOGIN',   'the ledger service')
        ) AS role (name, login, purpose)
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) THEN
            EXECUTE format('CREATE ROLE %I', wanted.name);
        END IF;
        EXECUTE format('ALTER ROLE %I %s NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT',
                       wanted.name, wanted.login);
        EXECUTE format('COMMENT ON ROLE %I IS %L', wanted.name, wanted.purpose);
    END LOOP;
END
$roles$;

-- NOINHERIT: a migrator has the owner's rights only after it said SET ROLE.
GRANT shoelog_table_owner TO shoelog_table_migrator;
GRANT shoelog_ledger_owner TO shoelog_ledger_migrator;

-- The feed's reader could write nothing anyway; it may not even try.
ALTER ROLE shoelog_feed SET default_transaction_read_only = on;

-- Whatever the table service reads, it reads by an index. Statistics of a log with one long stream talk the planner into
-- scanning all of it for that stream's last chapter: a hundred times slower behind 10^6 entries.
ALTER ROLE shoelog_table SET enable_seqscan = off;

-- Every database whose name begins like one of the two is that service's: its owner role's, closed to everybody else.
DO $databases$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT datname, owner, guests
        FROM pg_database
        JOIN (VALUES
            ('shoelog_table',  'shoelog_table_owner',  'shoelog_table, shoelog_table_migrator, shoelog_feed'),
            ('shoelog_ledger', 'shoelog_ledger_owner', 'shoelog_ledger, shoelog_ledger_migrator')
        ) AS service (name, owner, guests) ON starts_with(datname, name)
    LOOP
        EXECUTE format('ALTER DATABASE %I OWNER TO %I', found.datname, found.owner);
        EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', found.datname);
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %s', found.datname, found.guests);
    END LOOP;
END
$databases$;
