"""The auditor: reads an export, trusts nothing."""
