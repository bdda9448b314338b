import type { CombinedError } from 'urql';

import { mutate, mutations, noteChange } from '../api';
import { failureOf } from '../api/errors';
import { messageOf } from '../api/rules';
import { texts, useLocale } from '../text';
import { notify } from '../ui/toasts';
import { words as common } from '../ui/words';

const words = texts({
  changedSince: [
    'The record was changed again since, so this change cannot be taken back. See its history.',
    'O registro foi alterado de novo depois disso, e esta alteração não pode ser desfeita. Veja o histórico.',
  ],
});

interface Changed {
  readonly id: string;
  readonly history?: { readonly nodes: readonly { readonly sequence: number }[] };
}

/** The record in the payload of a mutation. */
export function recordIn(payload: unknown): Changed | undefined {
  const parts: readonly unknown[] = Object.values(payload as object);
  return parts.find((part) => part !== null && typeof part === 'object' && 'id' in part) as never;
}

/** Takes a change of the ledger back, and says what came of it. */
export function useRevert(): (sequence: number) => Promise<void> {
  const { language } = useLocale();
  return async (sequence) => {
    try {
      const { entry, userErrors } = await mutate(mutations.revert, { sequence });
      if (entry) noteChange();
      const [error] = userErrors;
      const message =
        error?.code === 'STALE' ? words[language].changedSince : error && messageOf(error, language);
      if (message === undefined) notify({ text: common[language].undone });
      else notify({ text: message, tone: 'bad' });
    } catch (error) {
      notify({ text: failureOf(error as CombinedError, language).message, tone: 'bad' });
    }
  };
}

/**
 * Says for some seconds that a record was changed. There is a button that takes the change back where the payload has the
 * record with `history(first: 1) { nodes { sequence } }`.
 */
export function useChangeNote(): (text: string, payload?: unknown) => void {
  const revert = useRevert();
  return (text, payload = {}) => {
    const sequence = recordIn(payload)?.history?.nodes[0]?.sequence;
    notify({ text, ...(sequence !== undefined && { undo: () => void revert(sequence) }) });
  };
}
