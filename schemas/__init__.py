"""The contract between table, ledger and auditor: events, entries, the log's tree and notes, bundles."""
