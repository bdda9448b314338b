import { type ReactNode } from 'react';

import { graphql, useDryRun } from '../../api';
import type { NotificationKind, NotificationSendInput } from '../../gql/graphql';
import { CreateDialog } from '../../record/create-dialog';
import { findApps, findGroups } from '../../record/find';
import { useListAddress } from '../../table/address';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

const SEND = graphql(`
  mutation NotificationSend($input: NotificationSendInput!, $dryRun: Boolean!) {
    notificationSend(input: $input, dryRun: $dryRun) {
      count
      notification { id }
      userErrors { code message path rule params }
    }
  }
`);

interface Draft {
  readonly content: string;
  readonly kind: NotificationKind;
  readonly to: 'group' | 'numbers';
  readonly numbers: string;
  readonly group: Reference | null;
  readonly app: Reference | null;
}

const EMPTY: Draft = { content: '', kind: 'SHOW', to: 'group', numbers: '', group: null, app: null };

/** Asks for message and target, and shows beforehand how many logical numbers get it. */
export default function SendDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const format = useFormat();
  const [, change] = useListAddress();
  return (
    <CreateDialog
      title={text.send}
      draft="notification"
      empty={EMPTY}
      fields={[
        { name: 'content', label: text.content, help: text.contentHelp, rows: 3, autoFocus: true },
        {
          name: 'to',
          label: text.target,
          options: [
            { value: 'group', label: text.toGroup },
            { value: 'numbers', label: text.toNumbers },
          ],
        },
        {
          name: 'group',
          label: text.group,
          find: findGroups,
          argument: 'target.groupId',
          isShown: ({ to }) => to === 'group',
        },
        {
          name: 'numbers',
          label: text.logicalNumbers,
          help: text.logicalNumbersHelp,
          rows: 4,
          argument: 'target.logicalNumbers',
          isShown: ({ to }) => to === 'numbers',
        },
        { name: 'kind', label: text.kind, options: optionsOf(text, ['SHOW', 'PROCESSING']) },
        {
          name: 'app',
          label: text.app,
          find: findApps,
          argument: 'appId',
          isShown: ({ kind }) => kind === 'PROCESSING',
        },
      ]}
      document={SEND}
      changes={['NOTIFICATION']}
      variables={(values) => ({ input: inputOf(values), dryRun: false })}
      submit={text.sendNow}
      done={({ count }) => text.sentTo(format.number(count ?? 0))}
      onCreated={({ notification }) => change({ open: notification?.id })}
      onClose={onClose}
    >
      {(_mutation, values) => <Reach target={inputOf(values).target} />}
    </CreateDialog>
  );
}

function inputOf({ content, kind, to, numbers, group, app }: Draft): NotificationSendInput {
  const logicalNumbers = numbers.split(/[\s,;]+/).filter((number) => number !== '');
  return {
    content,
    kind,
    target: to === 'group' ? { groupId: group?.id ?? '' } : { logicalNumbers },
    ...(kind === 'PROCESSING' && app && { appId: app.id }),
  };
}

/** How many logical numbers would get it. */
function Reach({ target }: Pick<NotificationSendInput, 'target'>): ReactNode {
  const text = useText();
  const format = useFormat();
  const reached = useDryRun(SEND, { input: { content: '–', kind: 'SHOW', target }, dryRun: true });
  return reached && <p role="status">{text.reach(format.number(reached.count ?? 0))}</p>;
}
