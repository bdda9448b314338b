import { sql } from 'kysely';

import { CompanyRows, specialSql } from '../../../database/company/company-rows.js';
import { CompanyTable, recordMapping } from '../../../database/company/company-table.js';
import { lastDrawn } from '../../../database/counters.js';
import { auditedList } from '../../../database/list/list.js';
import { prunedUpTo } from '../../../database/prunings.js';
import { instant } from '../../../database/storage.js';
import type { CompanyWriteWork, ReadWork, SystemReadWork } from '../../../database/work.js';
import type { Webhook } from './webhook.model.js';

export const webhookTable = new CompanyTable<'webhooks', Webhook>('webhooks');
const rows = new CompanyRows('webhooks');
const { columnsOf, recordOf } = recordMapping<'webhooks', Webhook>('webhooks');

export const webhooks = auditedList(webhookTable, {
  name: 'Webhook',
  orders: {},
  filters: { url: { column: 'url', kind: 'text' } },
});

/** Sequences of the ledger of the company: of the last entry, and of the last one that retention has deleted. */
export async function ledgerSpan(
  work: ReadWork,
): Promise<{ readonly last: number; readonly deleted: number }> {
  const { db, companyId } = specialSql(work);
  const last = await lastDrawn(db, companyId, 'ledger');
  const deleted = await prunedUpTo(db, companyId, 'ledger');
  return { last, deleted };
}

export interface DueWebhook {
  readonly companyId: number;
  readonly id: number;
}

/** Webhooks with entries to send now, those that have waited longest first; at most `perCompany` of each company. */
export async function findDue(
  work: SystemReadWork,
  { perCompany, limit }: { readonly perCompany: number; readonly limit: number },
): Promise<readonly DueWebhook[]> {
  const { db } = specialSql(work);
  const now = instant.toColumn(work.now);
  const { rows: due } = await sql<DueWebhook>`select company_id as "companyId", id from (
      select w.company_id, w.id, w.due_at, row_number() over (partition by w.company_id order by w.due_at, w.id) as place
      from webhooks as w join counters as c on c.company_id = w.company_id and c.name = 'ledger'
      where w.enabled and w.due_at <= ${now} and (w.lease_ends_at is null or w.lease_ends_at <= ${now})
        and c.last_drawn > w.delivered_sequence
    ) as due where place <= ${perCompany} order by due_at, company_id, id limit ${limit}`.execute(db);
  return due;
}

/** The webhook, which this node alone sends to until `until`; undefined if it is not due, or claimed by another node. */
export async function claim(work: CompanyWriteWork, id: number, until: Date): Promise<Webhook | undefined> {
  const { db, companyId } = specialSql(work);
  const now = instant.toColumn(work.now);
  const { rows: claimed } = await sql<{ readonly id: number }>`update webhooks
    set lease_ends_at = ${instant.toColumn(until)}
    where company_id = ${companyId} and id = ${id} and enabled and due_at <= ${now}
      and (lease_ends_at is null or lease_ends_at <= ${now}) returning id`.execute(db);
  return claimed.length === 0 ? undefined : await find(work, id);
}

export async function find(work: CompanyWriteWork, id: number): Promise<Webhook | undefined> {
  const row = await rows.find(work, { id });
  return row && recordOf(row);
}

/** Stores what sending has changed; the revision stays. */
export async function store(work: CompanyWriteWork, id: number, changes: Partial<Webhook>): Promise<void> {
  await rows.update(work, { id }, columnsOf(changes));
}
