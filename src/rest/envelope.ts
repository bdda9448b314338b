import { z } from 'zod';

import type { Page } from '../platform/requests/page.js';
import type { Revised, RouteResponse } from './route.js';

/** The ETag of one revision of a record: `"device-17-3"`. */
export function etagOf(name: string, record: Revised): string {
  return `"${name}-${record.id}-${record.revision}"`;
}

/** `{ pagination, name: [item] }` (contract 13, 32). */
export function listResponse<T>(name: string, page: Page<T>, itemOf: (record: T) => object): RouteResponse {
  return { status: 200, body: { pagination: paginationOf(page), [name]: page.records.map(itemOf) } };
}

function paginationOf({ request, records, total }: Page<unknown>): z.output<typeof Pagination> {
  return {
    page: request.page,
    total_pages: Math.ceil(total / request.perPage),
    entries: records.length,
    total_entries: total,
  };
}

const Pagination = z
  .strictObject({
    page: z.int().min(1),
    total_pages: z.int().min(0),
    entries: z.int().min(0).max(100),
    total_entries: z.int().min(0),
  })
  .meta({ id: 'Pagination' });

export function listShape(name: string, itemName: string, fields: z.ZodType): z.ZodType {
  return z.strictObject({ pagination: Pagination, [name]: z.array(z.strictObject({ [itemName]: fields })) });
}

const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);

/** The documented form of timestamps (contract 12). */
export const TimestampShape = timestamp.meta({ examples: ['2026-01-31T12:00:00Z'] });

/** The audit fields at the end of most records (contract 33). */
export const auditShape = {
  updated_at: TimestampShape,
  created_at: TimestampShape,
  created_by: z.int().describe('User who created the record.'),
  created_via: z.enum(['interface', 'api']),
};
