#!/usr/bin/env bash
# The image of PostgreSQL runs this once, while the volume is empty. The program's user is no superuser and owns its
# database. The superuser has no password afterwards, so it can sign in from inside this container only.
set -euo pipefail

# The image puts the content of POSTGRES_PASSWORD_FILE into POSTGRES_PASSWORD.
psql --set=ON_ERROR_STOP=1 --username postgres <<'SQL'
\getenv password POSTGRES_PASSWORD
create role terminal_gateway login createrole password :'password';
create database terminal_gateway owner terminal_gateway template template0 encoding 'UTF8';
revoke all on database terminal_gateway from public;
alter role postgres password null;
SQL
