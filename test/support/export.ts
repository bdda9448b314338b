import { parse } from 'csv-parse/sync';

import type { Fields, Member } from './server.js';

export interface ExportReply {
  readonly status: number;
  readonly code: unknown;
  readonly message: string;
  readonly headers: Headers;
  readonly text: string;
  /** Records of NDJSON, without the last line. */
  readonly records: readonly Fields[];
  /** Rows of CSV with the header, without the last line. */
  readonly rows: readonly (readonly string[])[];
  readonly totals: Readonly<Record<string, number>>;
  /** Value of `after` to go on. */
  readonly after: string | number | null;
}

/** An export with all of its lines and the line of totals; `query` is that of the address. */
export async function exported(
  member: Pick<Member, 'client'>,
  list: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<ExportReply> {
  const { status, body, headers, text } = await member.client.get(`/export/v1/${list}`, undefined, {
    query: { totals: 1, ...query },
  });
  const reply = { status, code: body.code, message: String(body.message), headers, text };
  if (status !== 200) return { ...reply, records: [], rows: [], totals: {}, after: null };
  const lines = text.trimEnd().split('\n');
  const isCsv = headers.get('content-type')?.startsWith('text/csv') === true;
  const end = lines.at(-1) ?? '';
  const last = isCsv && !end.startsWith('# ') ? '{"totals":{},"after":null}' : end.replace(/^# /, '');
  return {
    ...reply,
    ...(JSON.parse(last) as Pick<ExportReply, 'totals' | 'after'>),
    records: isCsv ? [] : lines.slice(0, -1).map((line) => JSON.parse(line) as Fields),
    rows: isCsv ? parse(text, { comment: '#', comment_no_infix: true }) : [],
  };
}
