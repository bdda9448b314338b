import type { Command } from 'commander';

import type { WriteWork } from '../../database/work.js';
import type { AccessToken } from '../../domain/people/access-token/access-token.model.js';
import {
  createNamedToken,
  getToken,
  listTokens,
  renewToken,
  revokeToken,
} from '../../domain/people/access-token/access-token.service.js';
import { getMembership } from '../../domain/people/user/member.service.js';
import { getUserByEmail } from '../../domain/people/user/user.service.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { readInstant, readInterval, TIMESTAMP_EXAMPLE } from '../../platform/encoding/timestamp.js';
import { notFound } from '../../platform/errors.js';
import { idFromText } from '../../platform/validate.js';
import {
  type ActorOptions,
  type CommandContext,
  readIn,
  withActor,
  withDatabase,
  writeIn,
} from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, type CommandIo, type JsonOption, printResult, table } from '../command-io.js';

export function addTokenCommands(token: Command, io: CommandIo): void {
  withActor(addJsonCommand(token, 'create', 'create a named token; it is shown only once'))
    .requiredOption('--company <name>', 'the company')
    .requiredOption('--email <address>', 'the member who owns the token; their role limits its scopes')
    .requiredOption('--name <name>', 'name of the token, for example what it is used for')
    .requiredOption('--scopes <list>', 'comma-separated: read, write, admin, ingest, terminals')
    .option('--expires <date>', 'last day it is valid (YYYY-MM-DD, UTC), or a timestamp')
    .action((options: CreateOptions) => create(io, options));
  addJsonCommand(token, 'list', 'list the tokens of a company, including expired and revoked ones')
    .requiredOption('--company <name>', 'the company')
    .action((options: CompanyOptions) => list(io, options));
  addTokenChange(token, 'renew', 'replace a token at once by a new one; it is shown only once').action(
    (id: string, options: JsonOption & ActorOptions) => renew(io, id, options),
  );
  addTokenChange(token, 'revoke', 'revoke a token at once').action(
    (id: string, options: JsonOption & ActorOptions) => revoke(io, id, options),
  );
}

function addTokenChange(token: Command, name: string, description: string): Command {
  return withActor(addJsonCommand(token, name, description))
    .argument('<id>', 'the id that `token list` shows')
    .requiredOption('--company <name>', 'the company');
}

interface CompanyOptions extends JsonOption {
  readonly company: string;
}

interface CreateOptions extends JsonOption, ActorOptions {
  readonly email: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
}

async function create(io: CommandIo, options: CreateOptions): Promise<void> {
  const input = {
    name: options.name,
    scopes: options.scopes.split(',').map((scope) => scope.trim()),
    expiresAt: options.expires === undefined ? null : parseExpiry(options.expires),
  };
  const created = await withDatabase(io, (context) =>
    writeIn(context, options, async (work) => {
      const { id: userId } = await work.aboveCompanies((above) => getUserByEmail(above, options.email));
      const member = await getMembership(work, { companyId: work.caller.companyId, userId });
      return await createNamedToken(work, member, input);
    }),
  );
  printSecret(io, options, created);
}

interface TokenWithSecret {
  readonly token: AccessToken;
  readonly secret: string;
}

function printSecret(io: CommandIo, options: JsonOption, { token, secret }: TokenWithSecret): void {
  if (options.json !== true) {
    io.notice(`Token ${token.id}, ${nameOf(token)}: store it now, it is not shown again.`);
  }
  printResult(io, options, { ...tokenFields(token), api_token: secret }, [secret]);
}

/** A day means its last millisecond in UTC. Errors: `CommandError`. */
function parseExpiry(text: string): Date {
  const interval = readInterval(text);
  if (interval === undefined) {
    throw new CommandError(`--expires: must be YYYY-MM-DD or a timestamp such as ${TIMESTAMP_EXAMPLE}`);
  }
  return readInstant(text) ?? new Date(interval.to - 1);
}

async function list(io: CommandIo, options: CompanyOptions): Promise<void> {
  const tokens = await withDatabase(io, (context) => readIn(context, options.company, listTokens));
  printResult(io, options, tokens.map(tokenFields), [tokenTable(tokens)]);
}

async function renew(io: CommandIo, id: string, options: JsonOption & ActorOptions): Promise<void> {
  const renewed = await changeToken(io, id, options, (work, token, { config }) =>
    renewToken(work, loadTokenSecret(config), token),
  );
  printSecret(io, options, renewed);
}

async function revoke(io: CommandIo, id: string, options: JsonOption & ActorOptions): Promise<void> {
  const token = await changeToken(io, id, options, revokeToken);
  printResult(io, options, tokenFields(token), [`Token ${token.id} is revoked.`]);
}

async function changeToken<T>(
  io: CommandIo,
  text: string,
  options: ActorOptions,
  change: (work: WriteWork, token: AccessToken, context: CommandContext) => Promise<T>,
): Promise<T> {
  const id = idFromText(text);
  if (id === undefined) throw notFound('access token');
  return await withDatabase(io, (context) =>
    writeIn(context, options, async (work) => change(work, await getToken(work, id), context)),
  );
}

/** In quotes; in brackets for a token without a name. */
const nameOf = ({ kind, name }: AccessToken): string => (name === null ? `(${kind})` : `"${name}"`);

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
