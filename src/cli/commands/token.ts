import type { Command } from 'commander';

import type { WriteWork } from '../../database/work.js';
import type { AccessToken } from '../../domain/people/access-token/access-token.model.js';
import {
  createNamedToken,
  getToken,
  type IssuedToken,
  listTokens,
  renewToken,
  revokeToken,
} from '../../domain/people/access-token/access-token.service.js';
import { getMembership, getUserByEmail } from '../../domain/people/user/user.service.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { readInstant, readInterval, TIMESTAMP_EXAMPLE } from '../../platform/encoding/timestamp.js';
import { notFound } from '../../platform/errors.js';
import { idFromText } from '../../platform/validate.js';
import { addChangeCommand, changeIn, fieldsOf, readIn, type ChangeOptions } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, type CommandIo, type JsonOption, printResult, table } from '../command-io.js';

export function addCommands(token: Command, io: CommandIo): void {
  addChangeCommand(token, 'create', 'create a named token; it is shown only once')
    .requiredOption('--email <address>', 'the member who owns the token; their role limits its scopes')
    .requiredOption('--name <name>', 'name of the token, for example what it is used for')
    .requiredOption('--scopes <list>', 'comma-separated: read, write, admin, ingest, terminals')
    .option('--expires <date>', 'last day it is valid (YYYY-MM-DD, UTC), or a timestamp')
    .action((options: CreateOptions) => create(io, options));
  addJsonCommand(token, 'list', 'list the tokens of a company, including expired and revoked ones')
    .requiredOption('--company <name>', 'the company')
    .action(async (options: JsonOption & { readonly company: string }) => {
      const tokens = await readIn(io, options.company, listTokens);
      printResult(io, options, tokens.map(fieldsOf), [tokenTable(tokens)]);
    });
  addChangeCommand(token, 'renew', 'replace a token at once by a new one; it is shown only once')
    .argument('<id>', ID)
    .action(async (id: string, options: ChangeOptions) => {
      const renewed = await changeIn(io, options, async (work, { config }) =>
        renewToken(work, loadTokenSecret(config), await tokenOf(work, id)),
      );
      printSecret(io, options, renewed);
    });
  addChangeCommand(token, 'revoke', 'revoke a token at once')
    .argument('<id>', ID)
    .action(async (id: string, options: ChangeOptions) => {
      const revoked = await changeIn(io, options, async (work) => revokeToken(work, await tokenOf(work, id)));
      printResult(io, options, fieldsOf(revoked), [`Token ${revoked.id} is revoked.`]);
    });
}

const ID = 'the id that `token list` shows';

/** Errors: `not_found`. */
async function tokenOf(work: WriteWork, text: string): Promise<AccessToken> {
  const id = idFromText(text);
  if (id === undefined) throw notFound('access token');
  return await getToken(work, id);
}

interface CreateOptions extends ChangeOptions {
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
  const created = await changeIn(io, options, async (work) => {
    const { id: userId } = await work.aboveCompanies((above) => getUserByEmail(above, options.email));
    const member = await getMembership(work, { companyId: work.caller.companyId, userId });
    return await createNamedToken(work, member, input);
  });
  printSecret(io, options, created);
}

function printSecret(io: CommandIo, options: JsonOption, { token, secret }: IssuedToken): void {
  if (options.json !== true) {
    const name = token.name === null ? `(${token.kind})` : `"${token.name}"`;
    io.notice(`Token ${token.id}, ${name}: store it now, it is not shown again.`);
  }
  printResult(io, options, { ...fieldsOf(token), api_token: secret }, [secret]);
}

/** A day means its last millisecond in UTC. Errors: `CommandError`. */
function parseExpiry(text: string): Date {
  const interval = readInterval(text);
  if (interval === undefined) {
    throw new CommandError(`--expires: must be YYYY-MM-DD or a timestamp such as ${TIMESTAMP_EXAMPLE}`);
  }
  return readInstant(text) ?? new Date(interval.to - 1);
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
