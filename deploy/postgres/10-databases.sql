-- The two services' databases; text sorts by its bytes on every machine. Run once, on a server without them.
CREATE DATABASE shoelog_table TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
CREATE DATABASE shoelog_ledger TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
