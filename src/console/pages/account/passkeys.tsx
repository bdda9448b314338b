import { useState, type ReactNode } from 'react';

import { mutations, useMutation } from '../../api';
import type { PayloadOf } from '../../api/mutation';
import type { Document } from '../../api/query';
import { askBrowser, hasPasskeySupport, PasskeyButton } from '../../app/sign-in-passkey';
import type { AccountQuery, ConfirmationInput } from '../../gql/graphql';
import { creating, DialogButton } from '../../record/dialog-button';
import { SmallTable } from '../../table/small-table';
import type { ButtonProps } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Copyable, Section } from '../../ui/facts';
import { TextInput } from '../../ui/field';
import { errorAt, Form } from '../../ui/form';
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
  const show = (made: readonly string[] | null | undefined): void => {
    setCodes(made ?? []);
    onChange();
  };
  return (
    <Section
      title={text.passkeys}
      actions={
        <span className="buttons">
          {hasPasskey && (
            <Confirmed
              label={text.newCodes}
              help={text.newCodesHelp}
              hasPasskey
              document={mutations.recoveryCodesRenew}
              variables={(confirmation) => ({ confirmation })}
              onDone={({ recoveryCodes }) => show(recoveryCodes)}
            />
          )}
          {hasPasskeySupport && <AddPasskey hasPasskey={hasPasskey} onAdded={show} />}
        </span>
      }
    >
      <SmallTable
        rows={passkeys}
        columns={[
          { id: 'name', title: text.name },
          { id: 'lastUsedAt', title: text.lastUsed, kind: 'ago' },
          {
            id: 'actions',
            title: '',
            align: 'end',
            render: ({ id, name }) => (
              <span className="buttons">
                <DialogButton
                  {...creating({
                    title: `${text.rename}: ${name}`,
                    empty: { name },
                    root: null,
                    fields: [{ name: 'name', label: text.name, help: text.passkeyName, autoFocus: true }],
                    document: mutations.passkeyRename,
                    submit: text.rename,
                    variables: (given) => ({ id, ...given }),
                    onCreated: onChange,
                  })}
                  label={text.rename}
                  scope="READ"
                  icon="edit"
                />
                <Confirmed
                  label={text.remove}
                  title={`${text.remove}: ${name}`}
                  look="danger"
                  hasPasskey
                  document={mutations.passkeyRemove}
                  variables={(confirmation) => ({ id, confirmation })}
                  onDone={onChange}
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
  return (
    <>
      {failure && <FailureNote failure={failure} />}
      <Confirmed
        label={text.addPasskey}
        look="primary"
        hasName
        hasPasskey={props.hasPasskey}
        document={mutations.passkeyOptions}
        variables={(confirmation) => ({ confirmation })}
        onDone={({ options }, name) => void add(options, name)}
      />
    </>
  );
}

interface ConfirmedProps<Data, Variables> extends Pick<ButtonProps, 'look'> {
  readonly label: string;
  readonly title?: string;
  readonly help?: string;
  /** Whether the person names something. */
  readonly hasName?: boolean;
  readonly hasPasskey: boolean;
  readonly document: Document<Data, Variables>;
  readonly variables: (confirmation: ConfirmationInput) => Variables;
  readonly onDone: (payload: PayloadOf<Data>, name: string) => void;
}

/** A button for what a person confirms by the password or by a passkey. */
function Confirmed<Data extends object, Variables extends object>(
  props: ConfirmedProps<Data, Variables>,
): ReactNode {
  const { label, look = 'plain' } = props;
  return (
    <DialogButton
      label={label}
      look={look}
      scope="READ"
      icon={look === 'danger' ? 'remove' : 'add'}
      dialog={(close) => <ConfirmDialog {...props} onClose={close} />}
    />
  );
}

function ConfirmDialog<Data extends object, Variables extends object>(
  props: ConfirmedProps<Data, Variables> & { readonly onClose: () => void },
): ReactNode {
  const text = useText();
  const { label, title = label, help, hasName = false, onClose } = props;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { run, errors, failure, isRunning } = useMutation(props.document);
  const send = async (confirmation: ConfirmationInput): Promise<void> => {
    const payload = await run(props.variables(confirmation));
    if (payload === null) return;
    onClose();
    props.onDone(payload, name);
  };
  const isNameless = hasName && name.trim() === '';
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        onSubmit={() => void send({ password })}
        onCancel={onClose}
        submit={label}
        isRunning={isRunning}
        isDisabled={isNameless}
        failure={failure}
        errors={errors}
        shown={['confirmation.password']}
      >
        {help !== undefined && <p>{help}</p>}
        {hasName && (
          <TextInput label={text.name} help={text.passkeyName} autoFocus value={name} onChange={setName} />
        )}
        <TextInput
          label={text.currentPassword}
          type="password"
          autoComplete="current-password"
          autoFocus={!hasName}
          value={password}
          onChange={setPassword}
          error={errorAt(errors, 'confirmation', 'password')}
        />
        {props.hasPasskey && !isNameless && (
          <PasskeyButton label={text.confirmByPasskey} onPasskey={(passkey) => send({ passkey })} />
        )}
      </Form>
    </Dialog>
  );
}
