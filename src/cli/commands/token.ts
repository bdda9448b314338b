import type { Command } from 'commander';

import { notFound } from '../../platform/errors.js';
import { idFromText } from '../../platform/validate.js';
import type { AccessToken } from '../../resources/access-token/access-token.model.js';
import {
  createNamedToken,
  getToken,
  listTokens,
  revokeToken,
} from '../../resources/access-token/access-token.service.js';
import { getMembership } from '../../resources/user/membership.service.js';
import { getUserByEmail } from '../../resources/user/user.service.js';
import { CommandError } from '../explain.js';
import { companyNamed, operatorIn, ORIGIN, withDatabase } from '../command-context.js';
import { table, type CommandIo } from '../command-io.js';

export function addTokenCommands(program: Command, terminal: CommandIo): void {
  const token = program.command('token').description('API tokens of a company');
  token
    .command('create')
    .description('create a token with a name; it is shown this once')
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the member whose role bounds what the token may do')
    .requiredOption('--name <name>', 'what the token is for')
    .requiredOption('--scopes <list>', 'read, write, admin, ingest; separated by commas')
    .option('--expires <date>', 'when it ends: YYYY-MM-DD (that day, UTC, included) or a full timestamp')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) => create(terminal, options));
  token
    .command('list')
    .description('list the tokens of a company, ended ones too')
    .requiredOption('--company <name>', 'the company')
    .option('--json', 'print JSON')
    .action((options: CompanyOptions) => list(terminal, options));
  token
    .command('revoke')
    .description('end a token at once')
    .argument('<id>', 'the id that `token list` shows')
    .requiredOption('--company <name>', 'the company')
    .option('--json', 'print JSON')
    .action((id: string, options: CompanyOptions) => revoke(terminal, id, options));
}

interface CompanyOptions {
  readonly company: string;
  readonly json?: true;
}

interface CreateOptions extends CompanyOptions {
  readonly email: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
}

async function create(terminal: CommandIo, options: CreateOptions): Promise<void> {
  const input = {
    name: options.name,
    scopes: options.scopes.split(',').map((scope) => scope.trim()),
    expiresAt: options.expires === undefined ? null : endOf(options.expires),
  };
  const { token, secret } = await withDatabase(terminal, async ({ units }) => {
    const company = await companyNamed(units, options.company);
    return await units.systemWrite(ORIGIN, async (work) => {
      const user = await getUserByEmail(work, options.email);
      const member = await getMembership(work, { companyId: company.id, userId: user.id });
      return await createNamedToken(work, member, input);
    });
  });
  if (options.json === true) {
    terminal.print(JSON.stringify({ ...tokenFields(token), api_token: secret }));
    return;
  }
  terminal.note(`Token ${token.id}, "${token.name ?? ''}": keep it well, it is not shown again.`);
  terminal.print(secret);
}

const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

function endOf(text: string): Date {
  const end = new Date(DAY_FORM.test(text) ? `${text}T23:59:59.999Z` : text);
  const isDate = (DAY_FORM.test(text) || MOMENT_FORM.test(text)) && !Number.isNaN(end.getTime());
  if (!isDate)
    throw new CommandError('--expires: must be YYYY-MM-DD or a timestamp such as 2027-01-31T12:00:00Z');
  return end;
}

async function list(terminal: CommandIo, { company, json }: CompanyOptions): Promise<void> {
  const tokens = await withDatabase(terminal, async ({ units }) => {
    const caller = operatorIn(await companyNamed(units, company));
    return await units.read(caller, listTokens);
  });
  terminal.print(json === true ? JSON.stringify(tokens.map(tokenFields)) : tokenTable(tokens));
}

async function revoke(terminal: CommandIo, text: string, { company, json }: CompanyOptions): Promise<void> {
  const id = idFromText(text);
  if (id === undefined) throw notFound('access token');
  const token = await withDatabase(terminal, async ({ units }) => {
    const caller = operatorIn(await companyNamed(units, company));
    return await units.write(caller, async (work) => revokeToken(work, await getToken(work, id)));
  });
  terminal.print(json === true ? JSON.stringify(tokenFields(token)) : `Token ${token.id} is revoked.`);
}

function tokenFields(token: AccessToken) {
  return {
    id: token.id,
    user_id: token.userId,
    kind: token.kind,
    name: token.name,
    scopes: token.scopes,
    last_four: token.lastFour,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
  };
}

function tokenTable(tokens: readonly AccessToken[]): string {
  const day = (instant: Date | null): string => instant?.toISOString().slice(0, 10) ?? '';
  const rows = tokens.map((token) => [
    String(token.id),
    String(token.userId),
    token.name ?? `(${token.kind})`,
    token.scopes.join(','),
    `…${token.lastFour}`,
    day(token.lastUsedAt),
    day(token.expiresAt),
    day(token.revokedAt),
  ]);
  return table(['ID', 'USER', 'NAME', 'SCOPES', 'ENDS IN', 'USED', 'EXPIRES', 'REVOKED'], rows);
}
