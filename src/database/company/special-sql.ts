import type { Transaction } from 'kysely';

import type { Tables } from '../../schema/schema.js';
import type { CompanyWriteWork, ReadDatabase, SystemReadWork, SystemWriteWork } from '../work.js';

/**
 * The only way to run handwritten SQL in a repository, for statements that `CompanyTable`, `CompanyRows` and
 * `listOf` cannot express. Such a statement must itself compare `company_id` with `companyId` in every
 * company table that it names. `test/database/special-sql.test.ts` counts the uses in each file, so that a
 * new one shows in the diff.
 */
export function specialSql(work: CompanyWriteWork): {
  readonly db: Transaction<Tables>;
  readonly companyId: number;
};
export function specialSql(work: SystemReadWork & Pick<CompanyWriteWork, 'caller'>): {
  readonly db: ReadDatabase;
  readonly companyId: number;
};
export function specialSql(work: SystemWriteWork): { readonly db: Transaction<Tables> };
export function specialSql(work: SystemReadWork): { readonly db: ReadDatabase };
export function specialSql(work: SystemReadWork & Partial<Pick<CompanyWriteWork, 'caller'>>): {
  readonly db: ReadDatabase;
  readonly companyId?: number;
} {
  return work.caller === undefined ? { db: work.db } : { db: work.db, companyId: work.caller.companyId };
}
