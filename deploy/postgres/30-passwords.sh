#!/bin/sh
# Each role's password, from the environment and never on a command line; run again with new ones to change them.
for role in shoelog_table_migrator shoelog_table shoelog_feed shoelog_ledger_migrator shoelog_ledger; do
    variable="$(echo "$role" | tr '[:lower:]' '[:upper:]')_PASSWORD"
    eval ": \"\${$variable:?the password of role $role}\""
    printf "\\\\getenv password %s\nALTER ROLE %s PASSWORD :'password';\n" "$variable" "$role" |
        psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres || exit 1
done
