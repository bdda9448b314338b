import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

import { payment, record } from '../../domain/payments/transaction/records.js';
import { answered } from '../../support/dashboard.js';
import { scratchFolder } from '../../support/scratch.js';
import { useServer, type Fields } from '../../support/server.js';

/** The command of LibreOffice. */
const OFFICE = 'soffice';

function hasLibreOffice(): boolean {
  try {
    execFileSync(OFFICE, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const server = useServer();
const ROWS = 300;
const FIRST = Date.UTC(2026, 0, 31, 2, 30, 1);
/** Texts that spreadsheets take for numbers, dates or formulas if they can. */
const TEXTS = ['00042', '89652900000000000001', '1/2', '1E5', '=1+1', '+55', '@x', 'São; "Paulo", 1'];

beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const at = new Date(FIRST + n * 3_600_123);
    const parsed = {
      amount: (n * 7_919) % 1_000_003,
      authorizationCode: TEXTS[n % TEXTS.length],
      statusReason: n % 2 === 0 ? '00' : '05',
      status: n % 2 === 0 ? 'approved' : 'denied',
    };
    return { ...payment(parsed), startedAt: at, finishedAt: at };
  });
  await record(server, server.acme, rows);
});

interface Cell {
  readonly type: string;
  readonly value: string;
}

/** The cells of a file of CSV as LibreOffice reads it in a language: 44 is a comma, 1046 Portuguese of Brazil. */
async function opened(bytes: Uint8Array, separator: number, language: number): Promise<Cell[][]> {
  const folder = scratchFolder();
  const file = join(folder, 'export.csv');
  await writeFile(file, bytes);
  // Separator, quote, UTF-8, first line, formats of columns, language, texts in quotes, special numbers.
  const filter = `CSV:${separator},34,76,1,,${language},false,true`;
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const args = [
    profile,
    '--headless',
    '--convert-to',
    'fods',
    `--infilter=${filter}`,
    '--outdir',
    folder,
    file,
  ];
  await promisify(execFile)(OFFICE, args);
  const sheet = await readFile(join(folder, 'export.fods'), 'utf8');
  return Array.from(
    sheet.matchAll(/<table:table-row(?![^>]*rows-repeated="\d{4,}")[^>]*>(.*?)<\/table:table-row>/gs),
  ).map(([, row = '']) => cellsOf(row));
}

function cellsOf(row: string): Cell[] {
  return Array.from(row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)).flatMap(
    ([, attributes = '', content = '']) => {
      const of = (name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1];
      const text = content
        .replaceAll(/<[^>]*>|\n\s*/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'");
      const value = of('office:value') ?? of('office:date-value') ?? text;
      const cell = { type: of('office:value-type') ?? 'empty', value };
      return Array.from({ length: Number(of('table:number-columns-repeated') ?? 1) }, () => cell);
    },
  );
}

const COLUMNS = 'started_at,parsed.amount,parsed.status_reason,parsed.authorization_code';
const SUMMARY = '{ transactionSummary(bucket: NONE) { amountTotal count } }';

const LANGUAGES = [
  { locale: 'en', separator: 44, language: 1033, denied: '05 Do not honour' },
  { locale: 'pt', separator: 59, language: 1046, denied: '05 Não autorizada' },
];

describe.skipIf(!hasLibreOffice())(
  'LibreOffice (needs soffice of the package libreoffice-calc-nogui)',
  () => {
    it.each(LANGUAGES)(
      'reads numbers, times and texts, in $locale',
      async ({ locale, separator, language, denied }) => {
        const START = `mutation ($input: ExportStartInput!) { exportStart(input: $input) { job { result { url } } } }`;
        const { exportStart } = await answered<{ exportStart: { job: { result: { url: string } } } }>(
          server.acme,
          START,
          {
            input: {
              kind: 'TRANSACTIONS',
              format: 'SPREADSHEET',
              columns: COLUMNS.split(','),
              timeZone: 'America/Sao_Paulo',
              orderBy: 'id',
              spreadsheet: { locale: locale.toUpperCase() },
            },
          },
        );
        const bytes = await (await fetch(`${server.url}${exportStart.job.result.url}`)).bytes();
        const [header = [], ...rows] = await opened(bytes, separator, language);
        expect(header.map(({ value }) => value)).toEqual(COLUMNS.split(','));
        expect(rows).toHaveLength(ROWS);
        for (const [n, [time, amount, reason, code]] of rows.entries()) {
          const local = new Date(FIRST + n * 3_600_123 - 3 * 3_600_000).toISOString().slice(0, 19);
          expect(time).toEqual({ type: 'date', value: local });
          expect(amount?.type).toBe('float');
          expect(reason).toEqual({
            type: 'string',
            value: n % 2 === 0 ? (expect.stringMatching(/^00 A/) as string) : denied,
          });
          const text = TEXTS[n % TEXTS.length] ?? '';
          expect(code).toEqual({ type: 'string', value: /^[=+@]/.test(text) ? `'${text}` : text });
        }
        const { transactionSummary } = await answered<{ transactionSummary: Fields[] }>(server.acme, SUMMARY);
        const sum = rows.reduce((total, [, amount]) => total + Math.round(Number(amount?.value) * 100), 0);
        expect(transactionSummary[0]).toEqual({ amountTotal: sum, count: rows.length });
      },
    );
  },
);
