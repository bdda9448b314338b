import type { ReactNode } from 'react';

import { mutations } from '../../api';
import type { PayloadOf } from '../../api/mutation';
import type { NotificationSendMutation, NotificationTargetInput } from '../../gql/graphql';
import type { Creating } from '../../record/dialog-button';
import { tagOf, useFormat, useLocale } from '../../text';
import { useText } from './words';

export const KINDS = ['SHOW', 'PROCESSING'] as const;
/** Logical numbers without a terminal that are named. */
const NAMED = 5;
const TARGET = ['target.groupId', 'target.savedFilterId', 'target.logicalNumbers'];

type Tried = PayloadOf<NotificationSendMutation>;

/** The form of a new notification; it asks for the target unless it is chosen already. */
export function useSending(chosen?: NotificationTargetInput): Creating<NotificationSendMutation> {
  const text = useText();
  const format = useFormat();
  return {
    title: text.send,
    fields: [
      { name: 'content', rows: 3, autoFocus: true },
      ...(chosen ? [] : TARGET),
      { name: 'kind', values: KINDS },
      { name: 'appId', label: text.forApp, isShown: ({ kind }) => kind === 'PROCESSING' },
    ],
    document: mutations.notificationSend,
    args: { dryRun: false },
    ...(chosen && { input: { target: chosen } }),
    submit: text.sendNow,
    done: ({ count }) => `${text.sentTo} ${text.numbers(format.number(count ?? 0))}`,
    dryRun: ({ target = chosen }) => ({ input: { content: '–', kind: 'SHOW', target }, dryRun: true }),
    refusal: ({ count }) => (count === 0 ? text.nobody : null),
    children: (_values, _send, tried) => tried && <Reached {...tried} />,
  };
}

/** How many logical numbers would get it, and which of them have nobody to get it. */
function Reached({ count, withoutTerminal, withoutTerminalExamples }: Tried): ReactNode {
  const text = useText();
  const format = useFormat();
  const without = withoutTerminal ?? 0;
  const { language } = useLocale();
  const names = (withoutTerminalExamples ?? []).slice(0, NAMED);
  const more = without > names.length ? [text.more(format.number(without - names.length))] : [];
  const list = new Intl.ListFormat(tagOf(language)).format([...names, ...more]);
  const warning =
    without > 1 && without === count ? text.noneHasTerminal : text.withoutTerminal(list, without);
  return (
    <>
      <p role="status">{`${text.goesTo} ${text.numbers(format.number(count ?? 0))}`}</p>
      {without > 0 && (
        <p className="note note-warning" role="status">
          {warning}
        </p>
      )}
    </>
  );
}
