import { type ReactNode } from 'react';

import { mutations, useDryRun } from '../../api';
import type { NotificationKind, NotificationSendInput } from '../../gql/graphql';
import { CreateDialog } from '../../record/dialog-button';
import { findApps, findGroups, findSavedFilters } from '../../record/find';
import { listOf } from '../../record/form-field';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import type { Reference } from '../../ui/reference-input';
import { useText } from './words';

const EMPTY = {
  content: '',
  group: null as Reference | null,
  saved: null as Reference | null,
  numbers: '',
  kind: 'SHOW' as NotificationKind,
  app: null as Reference | null,
};

/** Asks for message and target, and shows beforehand how many logical numbers get it. */
export default function SendDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <CreateDialog
      title={text.send}
      draft="notification"
      empty={EMPTY}
      fields={[
        { name: 'content', label: text.content, help: text.contentHelp, rows: 3, autoFocus: true },
        {
          name: 'group',
          label: text.group,
          find: findGroups,
          argument: 'target.groupId',
          isShown: ({ numbers, saved }) => numbers === '' && saved === null,
        },
        {
          name: 'saved',
          label: text.savedFilter,
          find: findSavedFilters,
          argument: 'target.savedFilterId',
          isShown: ({ numbers, group }) => numbers === '' && group === null,
        },
        {
          name: 'numbers',
          label: text.logicalNumbers,
          help: text.logicalNumbersHelp,
          rows: 4,
          argument: 'target.logicalNumbers',
          isShown: ({ group, saved }) => group === null && saved === null,
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
      document={mutations.notificationSend}
      variables={(values) => ({ input: inputOf(values), dryRun: false })}
      submit={text.sendNow}
      done={({ count }) => `${text.sentTo} ${text.numbers(format.number(count ?? 0))}`}
      opens
      onClose={onClose}
    >
      {(_mutation, values) => <Reach target={inputOf(values).target} />}
    </CreateDialog>
  );
}

function inputOf({ content, kind, numbers, group, saved, app }: typeof EMPTY): NotificationSendInput {
  const ofGroup = group && { groupId: group.id };
  return {
    content,
    kind,
    target: ofGroup ?? (saved ? { savedFilterId: saved.id } : { logicalNumbers: listOf(numbers) }),
    ...(kind === 'PROCESSING' && app && { appId: app.id }),
  };
}

/** How many logical numbers would get it. */
function Reach({ target }: Pick<NotificationSendInput, 'target'>): ReactNode {
  const text = useText();
  const format = useFormat();
  const { payload } = useDryRun(mutations.notificationSend, {
    input: { content: '–', kind: 'SHOW', target },
    dryRun: true,
  });
  return (
    payload && <p role="status">{`${text.goesTo} ${text.numbers(format.number(payload.count ?? 0))}`}</p>
  );
}
