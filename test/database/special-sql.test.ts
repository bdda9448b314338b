import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/**
 * SQL written by hand, by file: the number of calls of `specialSql`. Before raising one, see whether `CompanyTable`,
 * `CompanyRows` or `listOf` can express the statement. A new statement on a company's table compares `company_id` with
 * the `companyId` that `specialSql` returns, and `npm run mutate:companies` must show a test that fails without it.
 */
const USES: Readonly<Record<string, number>> = {
  'src/domain/base/ledger/retention.repository.ts': 4,
  'src/domain/base/alert/alert.repository.ts': 1,
  'src/domain/base/export-schedule/export-schedule.repository.ts': 1,
  'src/domain/base/job/job.repository.ts': 1,
  'src/domain/base/webhook/webhook.repository.ts': 3,
  'src/domain/base/search/search.repository.ts': 4,
  'src/domain/fleet/device/device-change.repository.ts': 2,
  'src/domain/fleet/device/device.repository.ts': 8,
  'src/domain/fleet/logical-number/version-links.repository.ts': 11,
  'src/domain/fleet/setting/parameter.repository.ts': 5,
  'src/domain/messages/command/command.repository.ts': 4,
  'src/domain/messages/notification/delivery-list.repository.ts': 7,
  'src/domain/messages/notification/delivery.repository.ts': 10,
  'src/domain/messages/notification/dispatch.repository.ts': 7,
  'src/domain/messages/notification/notification-summary.repository.ts': 2,
  'src/domain/payments/transaction/alert/payment-alert.repository.ts': 5,
  'src/domain/payments/transaction/summary/transaction-summary.repository.ts': 2,
  'src/domain/payments/transaction/transaction-retention.repository.ts': 2,
  'src/domain/payments/transaction/transaction-totals.repository.ts': 6,
  'src/domain/payments/transaction/transaction.repository.ts': 2,
  'src/domain/people/access-token/access-token.repository.ts': 6,
  'src/domain/people/company/company.repository.ts': 4,
  'src/domain/people/user/one-time-code.repository.ts': 9,
  'src/domain/people/user/passkey.repository.ts': 5,
  'src/domain/people/user/session.repository.ts': 10,
  'src/domain/people/user/user.repository.ts': 12,
  'src/domain/software/app/app.repository.ts': 8,
  'src/domain/software/device-at/device-at.repository.ts': 4,
  'src/domain/software/manifest/manifest.repository.ts': 5,
  'src/domain/software/manifest/terminal-software.repository.ts': 6,
  'src/domain/software/plan/plan.repository.ts': 1,
  'src/domain/software/rollout/rollout-payments.repository.ts': 2,
  'src/domain/software/rollout/rollout.repository.ts': 6,
  'src/domain/terminals/device-log/device-log.repository.ts': 4,
  'src/domain/terminals/terminal/terminal.repository.ts': 7,
};

const files = globSync('src/domain/**/*.ts', { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(new URL(file, ROOT), 'utf8'),
}));

const filesWith = (pattern: RegExp): string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('SQL of the resources', () => {
  it('is written by hand through specialSql only, as often as is listed here', () => {
    const uses = files.map(({ file, text }) => [file, text.match(/\bspecialSql\(/g)?.length ?? 0] as const);
    expect(Object.fromEntries(uses.filter(([, count]) => count > 0))).toEqual(USES);
  });

  it('has no other handle of the database', () => {
    expect(filesWith(/\.db\b/)).toEqual([]);
    expect(filesWith(/\{[^{}]*\bdb\b[^{}]*\}(?! = specialSql\(work\);)/)).toEqual([]);
  });

  it('names the company of a row only where it is counted', () => {
    expect(
      filesWith(/(?<!row\.)\bcompany_id\b/).filter(
        (file) => file.endsWith('.repository.ts') && USES[file] === undefined,
      ),
    ).toEqual([]);
  });
});
