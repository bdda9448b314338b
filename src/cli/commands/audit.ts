import { InvalidArgumentError } from 'commander';

import { selectStates, type ChainState, type Link } from '../../database/ledger-chain.js';
import { verifyChain, type ChainReport } from '../../database/ledger-verify.js';
import { getCompanyByName } from '../../domain/people/company/company.service.js';
import { loadTokenSecret } from '../../platform/config/token-secret.js';
import { ledgerChainHash } from '../../platform/hashes.js';
import { withDatabase, type CommandContext } from '../command-context.js';
import { CommandError, EXIT } from '../command-error.js';
import type { AddCommand, CommandIo, JsonOption, Result } from '../command-io.js';

interface Noted extends Link {
  readonly companyId: number;
}

interface VerifyOptions extends JsonOption {
  readonly company?: string;
  readonly from: number;
  readonly expect: readonly Noted[];
}

const HEAD = /^(0|[1-9]\d{0,15}),([1-9]\d{0,15}),([0-9a-f]{64})$/;

export function addCommands(add: AddCommand): void {
  add('verify', 'follow the hash chain of the ledger and report each edit and cut', verify)
    .option('--company <name>', 'one company only (default: all)')
    .option('--from <sequence>', 'the first entry to verify; the one before it is trusted', sequence, 1)
    .option(
      '--expect <head>',
      'a head that was printed before, COMPANY-ID,SEQUENCE,HASH: that entry must be there; may be repeated',
      (text: string, before: readonly Noted[]) => [...before, noted(text)],
      [],
    );
}

function sequence(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

function noted(text: string): Noted {
  const [, companyId, sequenceText, hash = ''] = HEAD.exec(text) ?? [];
  if (hash === '')
    throw new InvalidArgumentError('It must be COMPANY-ID,SEQUENCE,HASH, as audit verify prints it.');
  return { companyId: Number(companyId), sequence: Number(sequenceText), hash };
}

async function verify(options: VerifyOptions, _argument: string, io: CommandIo): Promise<Result> {
  const results = await withDatabase(io, (context) => verifyAll(io, context, options));
  const isSound = results.every(({ damages }) => damages.length === 0);
  const failure = isSound ? undefined : new CommandError('The ledger is damaged.', EXIT.damaged);
  return { value: { ok: isSound, companies: results }, lines: results.flatMap(linesOf), failure };
}

type Verified = ReturnType<typeof fieldsOf>;

async function verifyAll(
  io: CommandIo,
  { config, units }: CommandContext,
  { company, from, expect }: VerifyOptions,
): Promise<readonly Verified[]> {
  const states = await units.systemRead(async (work) => {
    const only = company === undefined ? null : await getCompanyByName(work, company);
    const all = await selectStates(work);
    return all.filter(({ companyId }) => only === null || companyId === only.id);
  });
  refuseUnknown(states, expect);
  const hash = ledgerChainHash(loadTokenSecret(config));
  const total = states.reduce((sum, { last }) => sum + Math.max(0, last - from + 1), 0);
  const progress = io.progress('Verifying');
  let done = 0;
  const onEntry = (): void => progress((done += 1), total);
  const given = { from, isOn: config.ledgerChain, onEntry };
  const results: Verified[] = [];
  for (const state of states) {
    const expected = expect.filter(({ companyId }) => companyId === state.companyId);
    results.push(fieldsOf(state, await verifyChain(units, hash, state, { ...given, expected })));
  }
  return results;
}

function refuseUnknown(states: readonly ChainState[], expect: readonly Noted[]): void {
  const unknown = expect.find((each) => states.every(({ companyId }) => companyId !== each.companyId));
  if (unknown === undefined) return;
  const message = `--expect: there is no company ${unknown.companyId} among those to verify.`;
  throw new CommandError(message, EXIT.damaged);
}

function fieldsOf({ companyId: company_id, name: company }: ChainState, { head, ...report }: ChainReport) {
  return { company_id, company, ...report, head: head && `${company_id},${head.sequence},${head.hash}` };
}

function linesOf({ company, sound, unchained, damages, notes, head }: Verified): string[] {
  return [
    `${company}: ${sound} sound, ${unchained} not chained, ${damages.length} damaged${head === null ? '' : `; head ${head}`}`,
    ...notes.map((note) => `  ${note}`),
    ...damages.map(({ problem }) => `  DAMAGE: ${problem}`),
  ];
}
