import { useState, type ReactNode } from 'react';

import { mutations } from '../../api';
import { useMay } from '../../app/session';
import ActionDialog from '../../record/action-dialog';
import type { ActionProps, RecordAction } from '../../record/bulk';
import type { Values } from '../../record/form-field';
import { WordsContext } from '../../text';
import { useText, useCommandWords } from './words';

export const ACTIONS = [
  'REBOOT',
  'APP_UPDATE',
  'SYSTEM_UPDATE',
  'CANCEL_SYSTEM_UPDATE',
  'SETUP_DEVICE_CONFIG',
  'TIMEZONE_UPDATE',
  'SEND_LOG',
] as const;
export const RESET_CONFIG = 'RESET_DEVICE_CONFIG';
const OWN_WORD = 'OWN_WORD';

const HOUR_MS = 3_600_000;
/** How long terminals may do a command, in hours. The server knows the usual time. */
const HOURS: Readonly<Record<string, number | undefined>> = { '24h': undefined, '1h': 1, '7d': 7 * 24 };

/** The input of a command that is sent at `now`. */
function commandOf({ action, word, parameters, lasts, urgent }: Values, now: number): Values {
  const hours = HOURS[lasts as string];
  const lines = ((parameters ?? '') as string).split('\n').map((line) => line.trim());
  const given = lines.filter((line) => line !== '');
  return {
    action: action === OWN_WORD ? word : action,
    ...(given.length > 0 && { parameters: given }),
    ...(hours !== undefined && { expiresAt: new Date(now + hours * HOUR_MS).toISOString() }),
    urgent,
  };
}

interface Row {
  readonly id: string;
}

/** Sends a command to the terminals of devices: says how many and which ones before. */
export default function CommandDialog(props: ActionProps<Row>): ReactNode {
  const text = useText();
  const words = useCommandWords();
  const [now] = useState(() => Date.now());
  const values = useMay('ADMIN') ? [...ACTIONS, RESET_CONFIG, OWN_WORD] : ACTIONS;
  const action: RecordAction<Row> = {
    id: 'sendCommand',
    icon: 'send',
    isJob: true,
    fields: [
      { name: 'action', values },
      { name: 'word', pattern: /^[A-Z][A-Z0-9_]{0,63}$/, isShown: (given) => given.action === OWN_WORD },
      {
        name: 'parameters',
        rows: 3,
        isShown: (given) => given.action === OWN_WORD || given.action === 'SEND_LOG',
      },
      { name: 'lasts', values: Object.keys(HOURS) },
      { name: 'urgent', kind: 'flag', label: text.urgentFirst },
    ],
    bulk: mutations.commandSend,
    argument: 'input',
    shape: (given) => commandOf(given, now),
    warning: (input) => (input.action === RESET_CONFIG ? text.resetWarning : null),
  };
  return (
    <WordsContext value={words}>
      <ActionDialog {...props} action={action} />
    </WordsContext>
  );
}
