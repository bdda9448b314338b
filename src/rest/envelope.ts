import { z } from 'zod';

import type { Page } from '../platform/page.js';
import type { RouteResponse, Revised } from './route.js';

/** A strong validator of one state of a record. */
export function etagOf(kind: string, record: Revised): string {
  return `"${kind}-${record.id}-${record.revision}"`;
}

/** `{ key: fields }` (contract 32). */
export function recordResponse(
  key: string,
  fields: object,
  of: Revised,
  status: 200 | 201 = 200,
  contentId: number | null = null,
): RouteResponse {
  return { status, body: { [key]: fields }, etag: etagOf(key, of), contentId };
}

/** `{ pagination, key: [{ itemKey: fields }] }` (contract 13, 32). */
export function listResponse<T>(
  key: string,
  itemKey: string,
  page: Page<T>,
  fieldsOf: (record: T) => object,
): RouteResponse {
  return {
    status: 200,
    body: {
      pagination: {
        page: page.request.page,
        total_pages: Math.ceil(page.total / page.request.perPage),
        entries: page.records.length,
        total_entries: page.total,
      },
      [key]: page.records.map((record) => ({ [itemKey]: fieldsOf(record) })),
    },
  };
}

/** `{}` after a delete (contract 32). */
export const EMPTY: RouteResponse = { status: 200, body: {} };

export const EmptyShape = z.strictObject({});

const Pagination = z
  .strictObject({
    page: z.int().min(1),
    total_pages: z.int().min(0),
    entries: z.int().min(0).max(100),
    total_entries: z.int().min(0),
  })
  .meta({ id: 'Pagination' });

export function recordShape(key: string, fields: z.ZodType): z.ZodType {
  return z.strictObject({ [key]: fields });
}

export function listShape(key: string, itemKey: string, fields: z.ZodType): z.ZodType {
  return z.strictObject({ pagination: Pagination, [key]: z.array(z.strictObject({ [itemKey]: fields })) });
}

const timestamp = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);

/** The documented timestamp form (contract 12). */
export const TimestampShape = timestamp.meta({ examples: ['2026-01-31T12:00:00Z'] });

/** The audit fields at the end of most records. */
export const auditShape = {
  updated_at: TimestampShape,
  created_at: TimestampShape,
  created_by: z.int().nullable().describe('User who created the record; null where no user did.'),
  created_via: z.enum(['interface', 'api']),
};
