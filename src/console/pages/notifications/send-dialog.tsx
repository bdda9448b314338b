import type { ReactNode } from 'react';

import type { NotificationTargetInput } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { WordsContext } from '../../text';
import { useSending } from './sending';
import { useText } from './words';

interface SendDialogProps {
  readonly target: NotificationTargetInput;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Sends a notification to logical numbers that are chosen already. */
export default function SendDialog({ target, onClose, onDone }: SendDialogProps): ReactNode {
  return (
    <WordsContext value={{ ...useText() }}>
      <CreateDialog {...useSending(target)} onClose={onClose} onDone={() => onDone?.()} />
    </WordsContext>
  );
}
