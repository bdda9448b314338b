import { useEffect, useMemo, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import type { NotificationKind, NotificationSendInput } from '../../gql/graphql';
import { findApps, findGroups } from '../../record/find';
import { useListAddress } from '../../table/address';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Dialog } from '../../ui/dialog';
import { Choice, TextInput } from '../../ui/field';
import { errorAt, Form, useDraft } from '../../ui/form';
import { ReferenceInput, type Reference } from '../../ui/reference-input';
import { notify } from '../../ui/toasts';
import { words } from './words';

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
export function SendDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const [, change] = useListAddress();
  const { values, set, clear } = useDraft('notification', EMPTY);
  const send = useMutation(SEND, ['NOTIFICATION']);
  const input = useMemo(() => inputOf(values), [values]);
  const count = useCount(input);
  const submit = async (): Promise<void> => {
    const payload = await send.run({ input, dryRun: false });
    if (!payload) return;
    clear();
    notify({ text: text.sentTo(format.number(payload.count ?? 0)) });
    onClose();
    if (payload.notification) change({ open: payload.notification.id });
  };
  const targetError = errorAt(
    send.errors,
    'input',
    'target',
    values.to === 'group' ? 'groupId' : 'logicalNumbers',
  );
  return (
    <Dialog title={text.send} isOpen onClose={onClose}>
      <Form
        {...send}
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={text.sendNow}
        shown={['input.content', 'input.target.groupId', 'input.target.logicalNumbers', 'input.appId']}
      >
        <TextInput
          label={text.content}
          help={text.contentHelp}
          rows={3}
          autoFocus
          value={values.content}
          onChange={(content) => set({ content })}
          error={errorAt(send.errors, 'input', 'content')}
        />
        <TargetFields values={values} set={set} error={targetError} />
        <Choice
          label={text.kind}
          options={(['SHOW', 'PROCESSING'] as const).map((value) => ({ value, label: text[value] }))}
          value={values.kind}
          onChange={(kind) => set({ kind })}
        />
        {values.kind === 'PROCESSING' && (
          <ReferenceInput
            label={text.app}
            value={values.app}
            onChange={(app) => set({ app })}
            find={findApps}
            error={errorAt(send.errors, 'input', 'appId')}
          />
        )}
        {count !== null && <p role="status">{text.reach(format.number(count))}</p>}
      </Form>
    </Dialog>
  );
}

/** A group, or logical numbers. */
function TargetFields(props: {
  readonly values: Draft;
  readonly set: (changed: Partial<Draft>) => void;
  readonly error: string | undefined;
}): ReactNode {
  const text = useTexts(words);
  const { values, set, error } = props;
  return (
    <>
      <Choice
        label={text.target}
        options={[
          { value: 'group', label: text.toGroup },
          { value: 'numbers', label: text.toNumbers },
        ]}
        value={values.to}
        onChange={(to) => set({ to })}
      />
      {values.to === 'group' ? (
        <ReferenceInput
          label={text.group}
          value={values.group}
          onChange={(group) => set({ group })}
          find={findGroups}
          error={error}
        />
      ) : (
        <TextInput
          label={text.logicalNumbers}
          help={text.logicalNumbersHelp}
          rows={4}
          value={values.numbers}
          onChange={(numbers) => set({ numbers })}
          error={error}
        />
      )}
    </>
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

const PAUSE_MS = 400;

/** How many logical numbers would get it, asked once the person pauses; null while that is not known. */
function useCount(input: NotificationSendInput): number | null {
  const { run } = useMutation(SEND);
  const [count, setCount] = useState<number | null>(null);
  const target = JSON.stringify(input.target);
  useEffect(() => {
    let isOver = false;
    setCount(null);
    const ask = async (): Promise<void> => {
      const probe = {
        content: '–',
        kind: 'SHOW' as const,
        target: JSON.parse(target) as NotificationSendInput['target'],
      };
      const payload = await run({ input: probe, dryRun: true });
      if (!isOver) setCount(payload?.count ?? null);
    };
    const timer = setTimeout(() => void ask(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [run, target]);
  return count;
}
