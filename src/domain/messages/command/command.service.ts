import { CompanyTable } from '../../../database/company/company-table.js';
import { getFrom, Records } from '../../../database/company/records.js';
import { auditedList } from '../../../database/list/list.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import { warningOfCardData } from '../../../platform/card-data/card-data.js';
import type { Json } from '../../../platform/encoding/json.js';
import { invalid, notFound } from '../../../platform/errors.js';
import { requireScope } from '../../../platform/requests.js';
import { idFromText, type Ids, parse } from '../../../platform/validate.js';
import { type Rejected, startJob } from '../../base/job/job.service.js';
import type { Device } from '../../fleet/device/device.model.js';
import { devices } from '../../fleet/device/device.service.js';
import { hasAllVersions } from '../../software/manifest/manifest.service.js';
import {
  endSome,
  insertCommandDeliveries,
  reportDeliveries,
  ROWS_PER_PART,
} from '../notification/delivery.service.js';
import { end } from '../notification/ending.service.js';
import {
  type Command,
  CommandReport,
  CommandSend,
  LONGEST_MS,
  MESSAGE_ACTIONS,
  OPERATOR_ACTIONS,
  type TerminalCommand,
  USUAL_MS,
  WITHOUT_PARAMETERS,
} from './command.model.js';
import {
  COMMAND_STATE,
  commandSummaries,
  selectGiven,
  selectReplaced,
  terminalCommands,
} from './command.repository.js';

export {
  commandNewRows,
  commandsOfDevice,
  commandSummaries,
  terminalCommands,
  terminalsOfCommand,
} from './command.repository.js';

const commandTable = new CompanyTable<'commands', Command>('commands');

export const commands = auditedList(commandTable, {
  name: 'Command',
  orders: { EXPIRES_AT: 'expires_at' },
  filters: {
    action: { column: 'action', kind: 'text', order: 'ID' },
    createdById: { column: 'created_by', kind: 'id' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
    state: { column: 'id', kind: 'choice', where: (compared) => compared(COMMAND_STATE) },
  },
});

const records = new Records(commandTable);
export const { get: getCommand } = records;

/** Commands are queued together with the command itself for so many devices; a job queues more. */
const MOST_AT_ONCE = 500;
export const COMMAND_SEND = 'commandSend';

/** The command of an input. Errors: `invalid`, `forbidden`. */
export function commandOf({ caller, now }: ReadWork, input: unknown) {
  const { action, parameters = [], expiresAt, isUrgent } = parse(CommandSend, input);
  if (MESSAGE_ACTIONS.includes(action))
    throw invalid('action', 'is that of a notification: send one with notificationSend');
  if (WITHOUT_PARAMETERS.includes(action) && parameters.length > 0)
    throw invalid('parameters', 'must be absent with {action}', { action });
  if (!(OPERATOR_ACTIONS as readonly string[]).includes(action)) requireScope(caller, 'admin');
  const end = expiresAt ?? new Date(now.getTime() + USUAL_MS);
  if (end <= now) throw invalid('expiresAt', 'must be in the future');
  if (end.getTime() > now.getTime() + LONGEST_MS)
    throw invalid('expiresAt', 'must be at most {maximum} days ahead', { maximum: 30 });
  const content = `${action}|${parameters.join('|')}`;
  return { action, content, isUrgent: isUrgent === true, expiresAt: end, cancelledAt: null };
}

/** Sends a command to devices. Those of many get it by a job within seconds. Errors: `invalid`, `forbidden`. */
export async function sendCommand(work: WriteWork, input: unknown, deviceIds: Ids): Promise<Command> {
  const values = commandOf(work, input);
  const warning = warningOfCardData(values.content);
  if (warning !== undefined) work.warnings.push(`parameters: ${warning}`);
  const command = await commandTable.insert(work, values);
  work.ledger.created('command', { ...command, devices: deviceIds.length } as Command);
  if (deviceIds.length <= MOST_AT_ONCE) {
    await queue(work, command, deviceIds);
  } else {
    await startJob(work, { kind: COMMAND_SEND, input: { commandId: command.id }, rows: [...deviceIds] });
  }
  return command;
}

/** Queues a command for some devices: the same action that waits for one of them is replaced. */
async function queue(work: WriteWork, command: Command, deviceIds: Ids): Promise<void> {
  const isOver = command.cancelledAt !== null;
  if (!isOver) await end(work, await selectReplaced(work, deviceIds, command), 'replaced');
  await insertCommandDeliveries(work, command, deviceIds, isOver ? 'cancelled' : 'queued');
  reportDeliveries(work);
}

/** Queues a command for the devices of some rows of its job; those that are gone are refused. */
export async function queueSome(work: WriteWork, input: Json, rows: readonly Json[]): Promise<Rejected> {
  const { commandId } = input as { readonly commandId: number };
  const command = await commandTable.findById(work, commandId);
  const ids = rows as readonly number[];
  const known = await devices.byIds(work, ids);
  if (command !== undefined) await queue(work, command, [...known.keys()]);
  return new Map(ids.flatMap((id, place) => (known.has(id) ? [] : [[place, notFound('device')] as const])));
}

/** A command, or that of one terminal. */
interface Cancelled {
  readonly commandId: number | undefined;
  readonly terminalCommandId: number | undefined;
}

/** Plans to cancel a command where it is not confirmed; each part resolves to the number of terminals. Errors: `not_found`. */
export async function planCancel(work: ReadWork, { commandId = 0, terminalCommandId }: Cancelled) {
  if (terminalCommandId !== undefined) {
    const own = await getFrom(terminalCommands, work, terminalCommandId, 'command');
    const command = await getCommand(work, own.commandId);
    return { command, parts: [(writing: WriteWork) => end(writing, [own.id], 'cancelled')] };
  }
  const command = await getCommand(work, commandId);
  const { queued = 0, sent = 0 } = (await commandSummaries(work, [command])).get(commandId) ?? {};
  const cancel = (writing: WriteWork) => endSome(writing, { of: 'command', id: commandId }, 'cancelled');
  const parts = Array.from({ length: Math.ceil((queued + sent) / ROWS_PER_PART) }, () => cancel);
  return { command, parts: [(writing: WriteWork) => stop(writing, command), ...parts] };
}

/** Marks the command as cancelled: a job that has not queued all of it yet queues the rest as cancelled. */
async function stop(work: WriteWork, command: Command): Promise<number> {
  if (command.cancelledAt === null)
    await records.update(work, command, { ...command, cancelledAt: work.now }, 'cancel');
  return 0;
}

/**
 * Stores what a terminal says has become of a command. The same report again changes nothing. Errors:
 * `invalid`, also if it has said something else before; `not_found` if it was not given the command.
 */
export async function reportCommand(work: WriteWork, device: Pick<Device, 'id'>, id: string, input: unknown) {
  const { state, code, detail } = parse(CommandReport, input);
  const reported: Reported =
    state === 'done'
      ? { state, code: null, reason: detail }
      : { state: 'failed', code: code ?? (state === 'refused' ? 'REFUSED' : 'FAILED'), reason: detail };
  const [problem] = await storeReports(work, [{ terminal: device, input: id }], reported);
  if (problem instanceof Error) throw problem;
}

/** The id of a command, as its terminal has sent it. */
interface Report {
  readonly terminal: Pick<Device, 'id'>;
  readonly input: string;
}

/** `reportCommand` for several terminals at once, each of which says only `done`. Constant number of statements. */
export const reportDone = (work: WriteWork, reports: readonly Report[]) =>
  storeReports(work, reports, { state: 'done', code: null, reason: null });

interface Reported {
  readonly state: 'done' | 'failed';
  readonly code: string | null;
  readonly reason: string | null;
}

async function storeReports(
  work: WriteWork,
  reports: readonly Report[],
  reported: Reported,
): Promise<readonly (object | Error)[]> {
  const { state, ...ending } = reported;
  const ids = reports.map(({ input }) => idFromText(input) ?? 0);
  const known = await terminalCommands.byIds(work, ids);
  const problems = reports.map(({ terminal }, place) =>
    problemOf(known.get(ids[place] ?? 0), terminal, reported),
  );
  const sound = new Set(ids.filter((_, place) => problems[place] === null));
  await end(work, [...sound], state, { ...ending, isReported: true });
  return problems.map((problem) => problem ?? {});
}

/** Why a report cannot be stored; null if it can, or was. */
function problemOf(
  known: TerminalCommand | undefined,
  { id }: Pick<Device, 'id'>,
  { state, code }: Reported,
): Error | null {
  if (known === undefined || known.deviceId !== id || known.attempts === 0) return notFound('command');
  const isReported = known.state === 'done' || known.code !== null;
  if (!isReported || (known.state === state && known.code === code)) return null;
  return invalid('state', 'must be the one that was reported before: {state}', { state: known.state });
}

/** An update of the apps is done once the terminal is known to have all versions of its manifest. */
export async function noteAppUpdate(work: WriteWork, { id }: Pick<Device, 'id'>): Promise<void> {
  const given = await selectGiven(work, id, 'APP_UPDATE');
  if (given.length > 0 && (await hasAllVersions(work, id)))
    await end(work, given, 'done', { isReported: true });
}

/** A log is sent once all of it is stored, if it names the command that asked for it. */
export async function noteLog(
  work: WriteWork,
  { id }: Pick<Device, 'id'>,
  commandId: number | null,
): Promise<void> {
  if (commandId === null) return;
  const given = await selectGiven(work, id, 'SEND_LOG');
  if (given.includes(commandId)) await end(work, [commandId], 'done', { isReported: true });
}

/** The start time that a terminal reports as `meta.started_at`, in milliseconds since 1970; NaN without one. */
const startedAt = ({ meta }: Pick<Device, 'meta'>): number => Date.parse(String(meta.started_at));

/** A restart is done once the terminal reports a later start time than before. */
export async function noteRestart(work: WriteWork, before: Device, after: Device): Promise<void> {
  const isLater = startedAt(after) > startedAt(before);
  if (!isLater) return;
  await end(work, await selectGiven(work, after.id, 'REBOOT'), 'done', { isReported: true });
}
