import type { WriteWork } from '../../database/work.js';
import type { AccessToken } from '../../domain/people/access-token/access-token.model.js';
import * as service from '../../domain/people/access-token/access-token.service.js';
import { getMembership, getUserByEmail } from '../../domain/people/user/user.service.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { notFound } from '../../platform/errors.js';
import { readInstant, readInterval, TIMESTAMP_EXAMPLE } from '../../platform/timestamps.js';
import { idFromText } from '../../platform/validate.js';
import {
  addChange,
  addRead,
  fieldsOf,
  KEEP_OLD_FOR,
  type KeepOptions,
  keptFor,
  type ChangeOptions,
} from '../command-context.js';
import { CommandError } from '../command-error.js';
import { type AddCommand, type Result, table } from '../command-io.js';

export function addCommands(add: AddCommand): void {
  addChange(add, 'create', 'create a named token; it is shown only once', create)
    .requiredOption('--email <address>', 'the member who owns the token; their role limits its scopes')
    .requiredOption('--name <name>', 'name of the token, for example what it is used for')
    .requiredOption('--scopes <list>', 'comma-separated: read, write, admin, ingest, terminals')
    .option('--expires <date>', 'last day it is valid (YYYY-MM-DD, UTC), or a timestamp');
  addRead(add, 'list', 'list the tokens of a company, including expired and revoked ones', async (work) => {
    const tokens = await service.listTokens(work);
    return { value: tokens.map(fieldsOf), lines: [tokenTable(tokens)] };
  });
  const renews = 'replace a token by a new one, which is shown only once; the old one ends at once';
  addChange<KeepOptions>(add, 'renew', renews, async (work, options, id, config) =>
    shown(await service.renewToken(work, loadTokenSecret(config), await tokenOf(work, id), keptFor(options))),
  )
    .argument('<id>', ID)
    .option(...KEEP_OLD_FOR);
  addChange(add, 'revoke', 'revoke a token at once', async (work, _options, id) => {
    const revoked = await service.revokeToken(work, await tokenOf(work, id));
    return { value: fieldsOf(revoked), lines: [`Token ${revoked.id} is revoked.`] };
  }).argument('<id>', ID);
}

const ID = 'the id that `token list` shows';

/** Errors: `not_found`. */
async function tokenOf(work: WriteWork, text: string): Promise<AccessToken> {
  const id = idFromText(text);
  if (id === undefined) throw notFound('access token');
  return await service.getToken(work, id);
}

interface CreateOptions extends ChangeOptions {
  readonly email: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
}

async function create(work: WriteWork, { email, name, scopes, expires }: CreateOptions): Promise<Result> {
  const expiresAt = expires === undefined ? null : parseExpiry(expires);
  const { id: userId } = await work.acrossCompanies((above) => getUserByEmail(above, email));
  const member = await getMembership(work, { companyId: work.caller.companyId, userId });
  const input = { name, scopes: scopes.split(',').map((scope) => scope.trim()), expiresAt };
  return shown(await service.createNamedToken(work, member, input));
}

/** The secret alone is on standard output. */
function shown({ token, secret }: service.IssuedToken): Result {
  const name = token.name === null ? `(${token.kind})` : `"${token.name}"`;
  return {
    value: { ...fieldsOf(token), api_token: secret },
    notice: `Token ${token.id}, ${name}: store it now, it is not shown again.`,
    lines: [secret],
  };
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
  const rows = tokens.map((token) => {
    const name = token.name ?? `(${token.kind})`;
    const times = [token.lastUsedAt, token.expiresAt, token.revokedAt];
    const days = times.map((at) => at?.toISOString().slice(0, 10));
    return [token.id, token.userId, name, token.scopes.join(','), `…${token.lastFour}`, ...days];
  });
  return table(['ID', 'USER', 'NAME', 'SCOPES', 'ENDS IN', 'USED', 'EXPIRES', 'REVOKED'], rows);
}
