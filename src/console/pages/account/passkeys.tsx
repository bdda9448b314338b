import type { ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import { hasPasskeySupport, PasskeyButton, useBrowser } from '../../app/sign-in-passkey';
import type { AccountQuery } from '../../gql/graphql';
import {
  creating,
  DialogButton,
  RenameButton,
  type Creating,
  type DialogButtonProps,
} from '../../record/dialog-button';
import { SmallTable } from '../../table/shown';
import { Card } from '../../ui/page';
import { useSecrets } from '../../ui/secrets';
import { FailureNote } from '../../ui/states';
import { useText } from './words';

type PasskeysProps = Pick<AccountQuery['viewer'], 'passkeys' | 'recoveryCodesLeft'>;

/** The person's passkeys and recovery codes. */
export function Passkeys({ passkeys, recoveryCodesLeft }: PasskeysProps): ReactNode {
  const text = useText();
  const hasPasskey = passkeys.length > 0;
  const confirming = useConfirming(hasPasskey);
  const renewCodes = confirming({
    title: text.newCodes,
    help: text.newCodesHelp,
    document: mutations.recoveryCodesRenew,
  });
  return (
    <Card
      title={text.passkeys}
      actions={
        <span className="buttons">
          {hasPasskey && <DialogButton {...renewCodes} scope="READ" />}
          {hasPasskeySupport && <AddPasskey hasPasskey={hasPasskey} />}
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
                <RenameButton id={id} name={name} root={null} document={mutations.passkeyRename} />
                <DialogButton
                  {...confirming({
                    title: `${text.remove}: ${name}`,
                    document: mutations.passkeyRemove,
                    args: { id },
                    submit: text.remove,
                  })}
                  label={text.remove}
                  scope="READ"
                  variant="danger"
                  icon="remove"
                />
              </span>
            ),
          },
        ]}
        empty={text.noPasskeys}
      />
      {hasPasskey && <small>{text.codesLeft(recoveryCodesLeft)}</small>}
    </Card>
  );
}

/** Asks for a name and a confirmation, and then lets the browser make a passkey. */
function AddPasskey({ hasPasskey }: { readonly hasPasskey: boolean }): ReactNode {
  const text = useText();
  const showSecrets = useSecrets();
  const { run, problem } = useMutation(mutations.passkeyAdd);
  const browser = useBrowser('create');
  const add = async (options: unknown, name: string): Promise<void> => {
    const passkey = await browser.ask(() => Promise.resolve({ options, userErrors: [] }));
    const payload = passkey && (await run({ name, passkey }));
    if (payload) showSecrets(payload);
  };
  const failure = browser.failure ?? problem;
  const begin = useConfirming(hasPasskey)({
    title: text.addPasskey,
    fields: [{ name: 'name', help: text.passkeyName, autoFocus: true, isSent: false, pattern: /\S/ }],
    document: mutations.passkeyOptions,
    onDone: ({ options }, { name }) => void add(options, name as string),
  });
  return (
    <>
      {failure && <FailureNote failure={failure} />}
      <DialogButton {...begin} variant="primary" scope="READ" />
    </>
  );
}

type Confirmed<Data extends object> = Omit<Creating<Data>, 'fields'> &
  Partial<Pick<Creating<Data>, 'fields'>>;

/** Windows for what a person confirms by the password or by a passkey. */
function useConfirming(hasPasskey: boolean) {
  const text = useText();
  return <Data extends object>({ fields = [], ...props }: Confirmed<Data>): DialogButtonProps =>
    creating({
      submit: props.title,
      done: '',
      ...props,
      root: null,
      fields: [
        ...fields,
        { name: 'confirmation.password', label: text.current, autoFocus: fields.length === 0 },
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
