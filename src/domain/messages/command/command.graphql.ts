import * as g from '../../../graphql/index.js';
import { invalid } from '../../../platform/errors.js';
import { devicesOf, DeviceTargetInput, EXAMPLES } from '../../fleet/bulk/bulk-change.graphql.js';
import { DeviceList, DeviceType } from '../../fleet/device/device.graphql.js';
import type { Device } from '../../fleet/device/device.model.js';
import { requireExpectedCount } from '../../fleet/logical-number/logical-number.model.js';
import { auditedType } from '../../people/user/user.graphql.js';
import {
  type Command,
  type CommandChange,
  CommandSend,
  type CommandState,
  type CommandSummary,
  NO_TERMINALS,
  type TerminalCommand,
} from './command.model.js';
import * as service from './command.service.js';

const State = g.enumeration<CommandState>(
  'TerminalCommandState',
  'What became of a command for one terminal, by its own word.',
  {
    queued: 'It waits.',
    sent: 'It was handed to a connection of the terminal, or to a broker, and is not confirmed yet.',
    delivered:
      'The terminal has confirmed that it has the command. Firmware that reports nothing more ends here: whether it was done is not known.',
    done: 'The terminal has reported that it was done, or shown it.',
    failed:
      'The terminal has reported that it could not do it or has refused it, or was given it 100 times without a confirmation: see `code` and `detail`.',
    expired: 'It was not confirmed before its end.',
    cancelled: 'It was cancelled before it was confirmed.',
    replaced: 'The same action was sent again before it was confirmed.',
  },
  { queued: 'WAITING', delivered: 'CONFIRMED' },
);

const CommandStateType = g.enumeration<'open' | 'ended'>('CommandState', 'Whether a command waits.', {
  open: 'It waits for a terminal, or was handed to one and is not confirmed.',
  ended: 'It waits for none.',
});

const CommandType = auditedType<Command, 'content' | 'isUrgent' | 'cancelledAt'>(
  'Command',
  'An action for the terminals of devices, such as a restart.',
  {
    action: g.text('Action, for example REBOOT.'),
    expiresAt: g.instant('When terminals must not do it any more.'),
  },
);

const CommandList = g.listTypes(service.commands, CommandType, {}, { state: CommandStateType });

type Hidden =
  | 'notificationId'
  | 'logicalNumberId'
  | 'commandId'
  | 'deviceId'
  | 'lane'
  | 'attempts'
  | 'leaseEndsAt'
  | 'dueAt'
  | 'sequence'
  | 'serialNumber'
  | 'finishedAt'
  | 'reason';

const TerminalCommandType = g.nodeType<TerminalCommand, Hidden>(
  'TerminalCommand',
  'A command for the terminal of one device.',
  {
    state: g.choice(State, 'What became of it.'),
    code: g.text.orNull('Why it has failed, as a word of the firmware. Null in other states.'),
    queuedAt: g.instant('When it was sent.'),
    sentAt: g.instant.orNull('When it was first handed out. Null if it never was.'),
    confirmedAt: g.instant.orNull(
      'When the terminal first confirmed it, also after it had ended in another way. Null if it has not.',
    ),
  },
);

const TerminalCommandList = g.listTypes(
  service.terminalCommands,
  TerminalCommandType,
  { state: State },
  {},
  { groupId: 'Condition on the group that the device is in now.' },
);

interface Summary extends Omit<CommandSummary, 'queued' | 'delivered'> {
  readonly waiting: number;
  readonly confirmed: number;
}

const summaryOf = ({ queued, delivered, ...others }: CommandSummary): Summary => ({
  waiting: queued,
  confirmed: delivered,
  ...others,
});

const SummaryType = g.objectType<Summary>(
  'CommandSummary',
  'Number of terminals of a command by state. Those of many devices are added within seconds.',
  {
    waiting: g.int('Terminals for which it waits.'),
    sent: g.int('Terminals that were handed it and have not confirmed it yet.'),
    confirmed: g.int('Terminals that have confirmed it, and have reported nothing more.'),
    done: g.int('Terminals that have done it.'),
    failed: g.int('Terminals that could not do it, have refused it, or never confirmed it.'),
    expired: g.int('Terminals that had not confirmed it at its end.'),
    cancelled: g.int('Terminals for which it was cancelled.'),
    replaced: g.int('Terminals for which the same action was sent again.'),
  },
);

const CommandSendInput = g.inputOf('CommandSendInput', CommandSend.omit({ isUrgent: true }), {
  description: 'A new command.',
  fields: {
    urgent: g.flag.orNull('True: it overtakes commands that are not urgent. False if absent.'),
  },
});

/** Path in the arguments of a field that a domain error names. */
function pathOf(field: string): readonly string[] {
  const path = field.split('.');
  if (['target', 'expectCount'].includes(path[0] ?? '')) return path;
  return path[0] === 'filter' ? ['target', ...path] : ['input', ...path];
}

const commandSend = g.mutation('commandSend', {
  field: g.object(
    g.payloadType('CommandSend', {
      command: g.object.orNull(CommandType, 'The command. Null after an error, and with dryRun.'),
      ...g.targetPayload('Number of devices that get the command.', DeviceType),
    }),
    'Sends a command to the terminals of devices, at most 100000. A command with the same action that waits for one of them is replaced.',
  ),
  args: {
    input: g.object(CommandSendInput, 'The new command.'),
    target: g.object(DeviceTargetInput, 'The devices whose terminals get it.'),
    ...g.TARGET_ARGS,
  },
  resolve: (_source, ctx, { input, target, dryRun, expectCount }, info) => {
    const { urgent, ...given } = input as g.Input & { readonly urgent?: boolean | null };
    const sent = { ...given, isUrgent: urgent };
    let found: readonly Device[] = [];
    return ctx.changeInParts(
      async (work) => {
        service.commandOf(work, sent);
        found = await devicesOf(work, target, info);
        requireExpectedCount(found.length, expectCount, 'devices');
        if (found.length === 0 && dryRun !== true)
          throw invalid('target', 'There is no device in the target: choose others.');
        const ids = found.map(({ id }) => id);
        return dryRun === true ? [] : [(later) => service.sendCommand(later, sent, ids)];
      },
      ([command]: readonly Command[]) => ({
        count: found.length,
        ...(command === undefined ? { examples: found.slice(0, EXAMPLES) } : { command }),
      }),
      pathOf,
    );
  },
});

const commandCancel = g.mutation('commandCancel', {
  field: g.object(
    g.payloadType('CommandCancel', {
      command: g.object.orNull(CommandType, 'The command. Null if nothing was changed.'),
      count: g.int.orNull('Number of terminals for which it was cancelled. Null if nothing was changed.'),
    }),
    'Cancels a command for all terminals that have not confirmed it, or for one. A terminal that was given it may still do it, and then its state is DONE.',
  ),
  args: { id: g.id('Global id of the command, or of the command of one terminal: `TerminalCommand`.') },
  resolve: async (_source, ctx, { id }) => {
    let command: Command | null = null;
    return await ctx.changeInParts(
      async (work) => {
        const planned = await service.planCancel(work, {
          commandId: g.numberIn('Command', id),
          terminalCommandId: g.numberIn('TerminalCommand', id),
        });
        ({ command } = planned);
        return planned.parts;
      },
      (counts: readonly number[]) => ({ command, count: counts.reduce((sum, count) => sum + count, 0) }),
      [],
    );
  },
});

const TerminalCommandEvent = g.objectType<{ readonly sequence: number; readonly terminal: TerminalCommand }>(
  'TerminalCommandEvent',
  'A change of a command for one terminal.',
  {
    sequence: g.int(
      'Position among the changes of deliveries and commands of the company. Grows with each one; numbers may be missing.',
    ),
    terminal: g.object(TerminalCommandType, 'The command of the terminal as it was when the event was sent.'),
  },
);

const commandChanged = g.subscription('commandChanged', {
  field: g.object(
    TerminalCommandEvent,
    'Each change of a command for one of its terminals, in the order of the changes. Of changes that follow each other quickly, only the last one of a terminal is sent.',
  ),
  args: {
    id: g.id('Global id of the command.'),
    after: g.int.orNull(
      'Resumes after the event with this `sequence`. Without it, only changes from now on are sent.',
    ),
  },
  subscribe: async (ctx, { id, after }) => {
    await ctx.read('read', (work) => service.getCommand(work, g.numberIn('Command', id) ?? 0));
    return await ctx.follow(service.commandNewRows, { filter: { commandId: { eq: id } }, after });
  },
  resolve: ({ id: sequence, terminal }: CommandChange) => ({ sequence, terminal }),
});

export const commandGraphql = g.graphqlModule(
  g.queries(CommandList),
  g.nodesOf(service.terminalCommands),
  commandSend,
  commandCancel,
  commandChanged,
  g.fields(CommandType, {
    parameters: g.derived(g.text.list('What the terminal gets after the action.'), ({ content }: Command) =>
      content.split('|').slice(1).filter(Boolean),
    ),
    urgent: g.derived(
      g.flag('True if it overtakes commands that are not urgent.'),
      ({ isUrgent }: Command) => isUrgent,
    ),
    state: g.loaded(
      g.choice(CommandStateType, 'Whether it waits for a terminal.'),
      service.commandSummaries,
      (found) => (found === undefined || found.queued + found.sent > 0 ? 'open' : 'ended'),
    ),
    terminals: g.many(TerminalCommandList, service.terminalsOfCommand, 'What became of it on each terminal.'),
    summary: g.loaded(
      g.object(SummaryType, 'Number of terminals by state.'),
      service.commandSummaries,
      (found) => summaryOf(found ?? NO_TERMINALS),
    ),
  }),
  g.fields(TerminalCommandType, {
    command: g.one(CommandList, 'commandId', 'The command.'),
    device: g.one(DeviceList, 'deviceId', 'The device.'),
    since: g.derived(
      g.instant('Since when it is in this state.'),
      ({ finishedAt, sentAt, queuedAt }: TerminalCommand) => finishedAt ?? sentAt ?? queuedAt,
    ),
    detail: g.derived(
      g.text.orNull('More about a failure. Null in other states.'),
      ({ reason }: TerminalCommand) => reason,
    ),
  }),
  g.fields(DeviceType, {
    commands: g.many(
      TerminalCommandList,
      service.commandsOfDevice,
      'Commands for the terminal of this device, whatever logical number it has.',
    ),
  }),
);
