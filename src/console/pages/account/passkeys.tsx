import { useState, type ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import type { PayloadOf } from '../../api/mutation';
import type { Document } from '../../api/query';
import { askBrowser, hasPasskeySupport, PasskeyButton } from '../../app/sign-in-passkey';
import type { AccountQuery } from '../../gql/graphql';
import { creating, DialogButton, type DialogButtonProps } from '../../record/dialog-button';
import { SmallTable } from '../../table/shown';
import { Dialog } from '../../ui/dialog';
import { Copyable, Section } from '../../ui/facts';
import { FailureNote } from '../../ui/states';
import { useText } from './words';

interface PasskeysProps {
  readonly passkeys: AccountQuery['viewer']['passkeys'];
  readonly codesLeft: number;
  readonly onChange: () => void;
}

/** The person's passkeys and recovery codes. */
export function Passkeys({ passkeys, codesLeft, onChange }: PasskeysProps): ReactNode {
  const text = useText();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const hasPasskey = passkeys.length > 0;
  const confirming = useConfirming(hasPasskey);
  const show = (made: readonly string[] | null | undefined): void => {
    setCodes(made ?? []);
    onChange();
  };
  const renaming = (id: string, name: string): DialogButtonProps =>
    creating({
      title: `${text.rename}: ${name}`,
      root: null,
      fields: [{ name: 'name', initial: name, help: text.passkeyName, autoFocus: true }],
      document: mutations.passkeyRename,
      args: { id },
      submit: text.rename,
      onDone: onChange,
    });
  const renewCodes = confirming({
    title: text.newCodes,
    help: text.newCodesHelp,
    document: mutations.recoveryCodesRenew,
    onDone: ({ recoveryCodes }) => show(recoveryCodes),
  });
  return (
    <Section
      title={text.passkeys}
      actions={
        <span className="buttons">
          {hasPasskey && <DialogButton {...renewCodes} scope="READ" />}
          {hasPasskeySupport && <AddPasskey hasPasskey={hasPasskey} onAdded={show} />}
        </span>
      }
    >
      <SmallTable
        rows={passkeys}
        columns={[
          'name',
          'lastUsedAt',
          {
            id: 'actions',
            title: '',
            align: 'end',
            render: ({ id, name }) => (
              <span className="buttons">
                <DialogButton {...renaming(id, name)} label={text.rename} scope="READ" icon="edit" />
                <DialogButton
                  {...confirming({
                    title: `${text.remove}: ${name}`,
                    document: mutations.passkeyRemove,
                    args: { id },
                    submit: text.remove,
                    onDone: onChange,
                  })}
                  label={text.remove}
                  scope="READ"
                  look="danger"
                  icon="remove"
                />
              </span>
            ),
          },
        ]}
        empty={text.noPasskeys}
      />
      {hasPasskey && <small>{text.codesLeft(codesLeft)}</small>}
      <RecoveryCodes codes={codes} onClose={() => setCodes([])} />
    </Section>
  );
}

function RecoveryCodes(props: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}): ReactNode {
  const text = useText();
  const { codes, onClose } = props;
  return (
    <Dialog title={text.codes} isOpen={codes.length > 0} onClose={onClose}>
      <div className="stack">
        <p>{text.codesHelp}</p>
        <ol className="code">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <Copyable label={text.codes} value={codes.join(' ')} />
      </div>
    </Dialog>
  );
}

/** Asks for a name and a confirmation, and then lets the browser make a passkey. */
function AddPasskey(props: {
  readonly hasPasskey: boolean;
  readonly onAdded: (recoveryCodes: readonly string[] | null | undefined) => void;
}): ReactNode {
  const text = useText();
  const { run, problem } = useMutation(mutations.passkeyAdd);
  const [isCancelled, setCancelled] = useState(false);
  const add = async (options: unknown, name: string): Promise<void> => {
    const passkey = await askBrowser('create', options);
    setCancelled(passkey === null);
    const payload = passkey && (await run({ name, passkey }));
    if (payload) props.onAdded(payload.recoveryCodes);
  };
  const failure = isCancelled ? { message: text.passkeyNotMade } : problem;
  const begin = useConfirming(props.hasPasskey)({
    title: text.addPasskey,
    hasName: true,
    document: mutations.passkeyOptions,
    onDone: ({ options }, { name }) => void add(options, name as string),
  });
  return (
    <>
      {failure && <FailureNote failure={failure} />}
      <DialogButton {...begin} look="primary" scope="READ" />
    </>
  );
}

interface Confirmed<Data extends object> {
  readonly title: string;
  readonly help?: string;
  /** Whether the person names something, which is not sent. */
  readonly hasName?: boolean;
  readonly document: Document<Data, never>;
  readonly args?: object;
  readonly submit?: string;
  readonly onDone: (payload: PayloadOf<Data>, values: Readonly<Record<string, unknown>>) => void;
}

/** Windows for what a person confirms by the password or by a passkey. */
function useConfirming(hasPasskey: boolean) {
  const text = useText();
  const nameField = { name: 'name', help: text.passkeyName, autoFocus: true, isSent: false, pattern: /\S/ };
  return <Data extends object>({ hasName = false, ...props }: Confirmed<Data>): DialogButtonProps =>
    creating({
      submit: props.title,
      done: '',
      ...props,
      root: null,
      fields: [
        ...(hasName ? [nameField] : []),
        { name: 'confirmation.password', label: text.currentPassword, autoFocus: !hasName },
      ],
      children: ({ name }, send) =>
        hasPasskey &&
        name !== '' && (
          <PasskeyButton
            label={text.confirmByPasskey}
            onPasskey={(passkey) => send({ confirmation: { passkey } })}
          />
        ),
    });
}
