import type { CombinedError } from 'urql';

import { mutate, mutations, noteChange } from '../api';
import { failureOf } from '../api/errors';
import { useSentence } from '../api/mutation';
import { texts, useLocale } from '../text';
import { notify } from '../ui/toasts';
import { words as common } from '../ui/words';
import { useChangedRecords } from './changed';

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
  const say = useSentence();
  return async (sequence) => {
    try {
      const { entry, userErrors } = await mutate(mutations.revert, { sequence });
      if (entry) noteChange();
      const [error] = userErrors;
      const message = error?.code === 'STALE' ? words[language].changedSince : error && say(error);
      if (message === undefined) notify({ text: common[language].undone });
      else notify({ text: message, tone: 'bad' });
    } catch (error) {
      notify({ text: failureOf(error as CombinedError, language).message, tone: 'bad' });
    }
  };
}

/**
 * Says for some seconds that records were changed, with a button that leads to them. Another takes the change of one back
 * where its payload has the record with `history(first: 1) { nodes { sequence } }`.
 */
export function useChangeNote(): (text: string, ...payloads: readonly object[]) => void {
  const revert = useRevert();
  const leadTo = useChangedRecords();
  return (text, ...payloads) => {
    const [payload = {}, ...others] = payloads;
    const sequence = others.length > 0 ? undefined : recordIn(payload)?.history?.nodes[0]?.sequence;
    notify({
      text,
      ...(sequence !== undefined && { undo: () => void revert(sequence) }),
      ...leadTo(payloads),
    });
  };
}
