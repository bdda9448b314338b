import { z } from 'zod';

import { DAY } from '../../../platform/clock.js';
import { rule } from '../../../platform/rules.js';
import { InstallReport } from '../../../platform/terminal.js';
import { freeText, type Audit } from '../../../platform/validate.js';
import { COMMAND_STATES } from '../../../schema/messages.js';
import type { RecordOf } from '../../../schema/schema.js';
import type { CommandState } from '../notification/notification.model.js';

export type { CommandState };

/** Actions that members may send who are not administrators. All but `SEND_LOG` take no parameters. */
export const OPERATOR_ACTIONS = [
  'APP_UPDATE',
  'CANCEL_SYSTEM_UPDATE',
  'REBOOT',
  'SEND_LOG',
  'SETUP_DEVICE_CONFIG',
  'SYSTEM_UPDATE',
  'TIMEZONE_UPDATE',
] as const;

/** Actions that terminals of the origin do only without parameters. */
export const WITHOUT_PARAMETERS: readonly string[] = [
  ...OPERATOR_ACTIONS.filter((action) => action !== 'SEND_LOG'),
  'RESET_DEVICE_CONFIG',
];

/** Actions of notifications, which have their own forms. */
export const MESSAGE_ACTIONS: readonly string[] = ['SHOW_MESSAGE', 'PROCESSING', 'PROCESSING_MESSAGE'];

/** How long a command waits at most. */
export const LONGEST_MS = 30 * DAY;
export const USUAL_MS = DAY;

const MAX_PARAMETERS = 4;

const Parameter = freeText(255)
  .refine((text) => text.trim() !== '', rule('must not be empty'))
  .refine((text) => !/[|\r\n]/.test(text), rule('must not contain a pipe or a line break'));

export const CommandSend = z.object({
  action: z
    .string()
    .max(64)
    .regex(/^[A-Z][A-Z0-9_]*$/, rule('must be a word of capital letters, digits and _'))
    .describe(
      'Action: APP_UPDATE, CANCEL_SYSTEM_UPDATE, REBOOT, SEND_LOG, SETUP_DEVICE_CONFIG, SYSTEM_UPDATE, TIMEZONE_UPDATE or, with the scope ADMIN, RESET_DEVICE_CONFIG or another word of the firmware, of A to Z, digits and _.',
    ),
  parameters: z
    .array(Parameter)
    .max(MAX_PARAMETERS)
    .optional()
    .describe('At most 4 texts without a pipe, which the terminal gets after the action. None if absent.'),
  expiresAt: z
    .date()
    .nullish()
    .describe('When terminals must not do it any more: at most 30 days from now. In 24 hours if absent.'),
  isUrgent: z
    .boolean()
    .nullish()
    .describe('True: it overtakes commands that are not urgent. False if absent.'),
});

/** The report of a terminal on a command. */
export const CommandReport = InstallReport.pick({ code: true, detail: true }).extend({
  state: z.enum(['done', 'failed', 'refused']),
});

/** An action for terminals; `content` is for example `REBOOT|`. */
export type Command = RecordOf<'commands', Audit>;

/** A command for one terminal. */
export interface TerminalCommand extends RecordOf<
  'notification_deliveries',
  { readonly state: CommandState }
> {
  readonly commandId: number;
  readonly deviceId: number;
}

/** The latest change of a terminal's command. Its `id` is its position among all changes of the company. */
export interface CommandChange {
  readonly id: number;
  readonly terminal: TerminalCommand;
}

export type CommandSummary = Readonly<Record<CommandState, number>>;
export const NO_TERMINALS = Object.fromEntries(COMMAND_STATES.map((state) => [state, 0])) as CommandSummary;
