/** Sends the records of a list as they are read, in CSV or NDJSON. */
import type { Request, Response } from 'express';
import type { GraphQLSchema } from 'graphql';

import type { ReadWork } from '../../database/work.js';
import { HttpProblem } from '../../http/problem.js';
import { malformed, requestContextOf } from '../../http/request.js';
import { begun, holdBytes, sendInPieces, STREAM_BYTES } from '../../http/send.js';
import { enterCompany, takeSlot } from '../../http/server/admission.js';
import { gather, isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { requireScope, type Caller, type Scope } from '../../platform/requests.js';
import type { GraphqlContext } from '../execution/context.js';
import {
  COMPANY_NEEDED,
  requireCompany,
  readCredentials,
  type Authenticate,
  type Credentials,
} from '../http/request.js';
import { EXPORTS_OF_COMPANY } from '../limits/limits.js';
import { lineFormat, type LineFormat } from './lines.js';
import { type OpenContext, Pages, type Totals } from './pages.js';
import { inRange, requestOf, sourceOf, type IdRange } from './request.js';
import { sheetFileName, sheetFormat, type SheetCells } from './sheet.js';

export interface Exported {
  /** Field of the schema that shows it: `Query.devices`. */
  readonly field: string;
  readonly totals?: Totals;
  /** Values that spreadsheets get in another way, by the path of their fields: `parsed.amount`. */
  readonly cells?: (work: ReadWork) => Promise<SheetCells>;
}

interface Asked extends Exported {
  /** Name of the file: `devices`. */
  readonly name: string;
  readonly query: ReadonlyMap<string, string>;
  readonly range?: IdRange;
}

/** A file that a use case writes. */
export interface WrittenFile {
  readonly type: string;
  readonly scope: Scope;
  readonly head: string;
  /** Resolves to the name of the file, before the first line. Errors: those of the response. */
  readonly begin: (context: GraphqlContext) => Promise<string>;
  /** The lines after the one with the number `after`, which is 0 at first, and the number of the last; null at the end. */
  readonly read: (
    work: ReadWork,
    after: number,
  ) => Promise<{ readonly lines: readonly string[]; readonly last: number } | null>;
}

const RETRY_SECONDS = 10;

export interface ExportParts {
  readonly schema: GraphQLSchema;
  readonly authenticate: Authenticate;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export type SendExport = (
  asked: Asked | WrittenFile,
  request: Request,
  response: Response,
  credentials?: Credentials,
) => Promise<void>;

export function createExports({ schema, authenticate, stopping }: ExportParts): SendExport {
  return async (asked, request, response, credentials = readCredentials(request)) => {
    const { scope } = 'read' in asked ? asked : sourceOf(schema, asked.field);
    const context = requestContextOf(response);
    const first = await authenticate(credentials, context);
    if (!first.request.mayChange) throw malformed(COMPANY_NEEDED);
    const { caller } = first;
    first.finish();
    // The token may be revoked, or its user lose a right, while the client reads.
    const open = async (): Promise<GraphqlContext> => {
      stopping.throwIfAborted();
      const renewed = await authenticate(credentials, context);
      requireCompany(renewed, caller.companyId);
      requireScope(renewed.caller, scope);
      return renewed;
    };
    enterCompany(response, caller);
    requireScope(caller, scope);
    enterExports(response, caller);
    const file =
      'read' in asked ? await writtenBy(asked, open) : await listedIn({ schema, caller, open }, asked);
    holdBytes(response, STREAM_BYTES);
    await gather();
    await send(response, file);
  };
}

interface Listing {
  readonly schema: GraphQLSchema;
  readonly caller: Caller;
  readonly open: OpenContext;
}

async function listedIn({ schema, caller, open }: Listing, exported: Asked): Promise<SentFile> {
  const { field, totals, name, query, range } = exported;
  const source = sourceOf(schema, field);
  const given = requestOf(source, query, caller);
  const asked = range === undefined ? given : inRange(given, range);
  const pages = new Pages(schema, source, asked, open, totals);
  for (const scope of pages.scopes) requireScope(caller, scope);
  const { format: form, columns, timeZone, sheet } = asked;
  const hasEnd = form === 'ndjson' || asked.hasTotals;
  const format =
    sheet === null
      ? lineFormat(form, columns, timeZone)
      : sheetFormat({ columns, timeZone, sheet, cells: await cellsOf(exported, open) });
  const fileName = sheet === null ? `${name}.${form}` : sheetFileName(sheet, name, timeZone);
  return { type: format.type, name: fileName, texts: textsOf(pages, format, hasEnd) };
}

async function cellsOf({ cells }: Exported, open: OpenContext): Promise<SheetCells> {
  if (cells === undefined) return {};
  const context = await open();
  return await context.read('read', cells).finally(() => context.finish());
}

interface SentFile {
  readonly type: string;
  readonly name: string;
  readonly texts: AsyncGenerator<string, undefined>;
}

async function writtenBy(file: WrittenFile, open: OpenContext): Promise<SentFile> {
  const beginning = await open();
  const name = await file.begin(beginning).finally(() => beginning.finish());
  async function* texts(): AsyncGenerator<string, undefined> {
    yield file.head;
    for (let after: number | null = 0; after !== null;) {
      const context = await open();
      const from: number = after;
      const page = await context
        .read(file.scope, (work) => file.read(work, from))
        .finally(() => context.finish());
      yield page?.lines.join('') ?? '';
      after = page?.last ?? null;
    }
  }
  return { type: file.type, name, texts: texts() };
}

/** Errors: 429 if the company has too many exports. */
function enterExports(response: Response, { companyId }: Caller): void {
  const slot = { kind: 'exports_of_company', of: String(companyId), max: EXPORTS_OF_COMPANY };
  takeSlot(response, slot, () => {
    const message = `Too many exports at the same time: at most ${EXPORTS_OF_COMPANY} of one company.`;
    return new HttpProblem(429, 'rate_limited', message, { 'Retry-After': String(RETRY_SECONDS) });
  });
}

/** An error cuts the response, which shows by its missing end. Errors of the first page come before the response begins. */
async function send(response: Response, { type, name, texts }: SentFile) {
  const pieces = await begun(texts);
  response.status(200).attachment(name).setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  if (response.req.method === 'HEAD') response.end();
  else await sendInPieces(response, pieces);
}

async function* textsOf(
  pages: Pages,
  format: LineFormat,
  hasEnd: boolean,
): AsyncGenerator<string, undefined> {
  let text = format.head;
  for await (const records of pages.read()) {
    for (const record of records) {
      text += format.line(record);
      if (isTurnOver()) await yieldToEventLoop();
    }
    yield text;
    text = '';
  }
  if (hasEnd) yield format.last(pages.end());
}
