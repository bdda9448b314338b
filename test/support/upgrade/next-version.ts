import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { PROGRAM } from '../program.js';

/** Rows that one part of the invented backfill changes. */
const PART = 1_000;

/** Migrations of an invented next version: a column of a large table, a value in every row, and an index on it. */
const MIGRATIONS = `{
  '9201-payment-batch': {
    needs: null,
    sqlite: async (db) => void (await SQL\`alter table transactions add column batch integer\`.execute(db)),
    postgres: async (db) => void (await SQL\`alter table transactions add column batch integer\`.execute(db)),
  },
  '9202-payment-batches': {
    needs: null,
    part: async (db, [company = 0, id = 0]) => {
      const { rows } = await SQL\`select company_id, id from transactions where (company_id, id) > (\${company}, \${id})
        order by company_id, id limit ${PART}\`.execute(db);
      const last = rows.at(-1);
      if (last === undefined) return null;
      await SQL\`update transactions set batch = id % 100 where batch is null and (company_id, id) > (\${company}, \${id})
        and (company_id, id) <= (\${last.company_id}, \${last.id})\`.execute(db);
      return [Number(last.company_id), Number(last.id)];
    },
  },
  '9203-payment-batch-index': {
    needs: null,
    index: { name: 'transactions_batch', table: 'transactions', columns: '(company_id, batch)' },
  },
}`;

/**
 * Makes the built program as an invented next version, which has migrations more, in a folder beside its packages.
 * Returns the path of the program.
 */
export function makeNextVersion() {
  const dist = dirname(PROGRAM);
  // Below `node_modules`, where the program finds its packages.
  const root = mkdtempSync(join(dist, '..', 'node_modules', '.cache', 'next-version-'));
  const folder = join(root, 'dist');
  cpSync(dist, folder, { recursive: true });
  cpSync(join(dist, '..', 'package.json'), join(root, 'package.json'));
  const paths = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const [path = '', ...others] = paths
    .map((name) => join(folder, name))
    .filter((file) => readFileSync(file, 'utf8').includes('var MIGRATIONS = {};'));
  if (path === '' || others.length > 0) throw new Error('The migrations are not where they should be.');
  const text = readFileSync(path, 'utf8');
  const [, sql = ''] = /await (\w+)`select name from applied_migrations`/.exec(text) ?? [];
  writeFileSync(
    path,
    text.replace('var MIGRATIONS = {};', `var MIGRATIONS = ${MIGRATIONS.replaceAll('SQL`', `${sql}\``)};`),
  );
  return {
    program: join(folder, 'boot.js'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
