import type { CompanyWriteWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import { finish, selectCommands, type Ending } from './delivery.repository.js';
import type { CommandState, FinishedState } from './notification.model.js';

const EVENTS = {
  delivered: 'command_confirmed',
  done: 'command_done',
  failed: 'command_failed',
  expired: 'command_expired',
  cancelled: 'command_cancelled',
  replaced: 'command_replaced',
} as const satisfies Readonly<Partial<Record<CommandState, string>>>;

/** Ends the waiting ones of these. The end of a command is an event of its device in the ledger. Returns how many. */
export async function end(
  work: CompanyWriteWork,
  ids: Ids,
  state: FinishedState,
  ending: Ending = {},
): Promise<number> {
  const ended = await finish(work, ids, state, ending);
  if (ended.length === 0) return 0;
  const commands = await selectCommands(work, ended);
  for (const { deviceId, commandId, command } of commands) {
    const { reason: detail = null, code = null } = ending;
    const after = { commandId, command, ...(code !== null && { code }), ...(detail !== null && { detail }) };
    work.ledger.append({ action: EVENTS[state], entityType: 'device', entityId: deviceId, after });
  }
  if (state !== 'done' && state !== 'replaced') {
    work.count(`${state}Deliveries`, ended.length - commands.length);
  }
  return ended.length;
}
