import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { optional, required, type Db, type Table } from '../table-builders.js';

/**
 * Counts wrong passwords by user and network, and by user over the networks that are new to the user. Earlier
 * counts over all networks are dropped. The IPv4 address of the last sign-in is the first known network.
 */
export async function up(db: Db): Promise<void> {
  let networks: Table = db.schema
    .createTable('sign_in_networks')
    .addColumn('user_id', ddl.integer, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('network', ddl.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('sign_in_networks_key', ['user_id', 'network']);
  networks = optional(networks, ddl.instant, 'signed_in_at', 'locked_until');
  networks = required(networks, ddl.integer, 'failed_sign_ins', 'updated_at');
  await networks.execute();
  await sql`alter table users add column failed_since ${ddl.instant}`.execute(db);
  await sql`update users set failed_sign_ins = 0, locked_until = null`.execute(db);
  await sql`insert into sign_in_networks (user_id, network, signed_in_at, failed_sign_ins, updated_at)
    select id, last_sign_in_ip, last_sign_in_at, 0, last_sign_in_at from users
    where last_sign_in_at is not null and last_sign_in_ip not like '%:%'`.execute(db);
}
